import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../../kernel/principal.ts'
import type { Service } from '../../ports/service-facts.ts'
import { type Connection, QUESTION_MS } from './connection.ts'
import { createSearchOffer, offerSearch } from './search-offer.ts'

const ABOUT = { origin: 'catalog', about: 'Search pages and read databases.', slug: 'notion' }
const SERVICE = ABOUT as Service
const CONNECTED: Connection = {
  id: 'one',
  principal: OWNER.id,
  service: SERVICE,
  isOwn: false,
  isChat: true,
  isRemote: false,
  expiresAt: 0,
  turn: 1,
  attempts: 0,
  found: { refs: {}, names: {}, missing: [] },
  settings: {},
  state: { kind: 'connected' },
}

test('only a service that the catalog says can be searched is offered a search', () => {
  assert.equal(
    offerSearch(SERVICE),
    'I can search pages and read databases. Want me to test with a search?',
  )
  assert.equal(offerSearch({ ...SERVICE, origin: 'pasted' }), undefined)
  assert.equal(offerSearch({ ...SERVICE, about: 'Calendars and events.' }), undefined)
})

test('a yes stands for one sentence, a no for none, and only right after the offer', () => {
  const answers = (...texts: readonly string[]) => {
    const offer = createSearchOffer(() => 0)
    return texts.map((text) => offer.answer({ connection: CONNECTED }, text))
  }
  const search = { kind: 'meant', text: 'search notion' }
  assert.deepEqual(answers('Yes, please!', 'yes'), [search, undefined])
  assert.deepEqual(answers('no', 'yes'), [{ kind: 'text', text: 'All right.' }, undefined])
  assert.deepEqual(answers('list', 'yes'), [undefined, undefined])
})

test('nobody is searched who did not hear the offer', () => {
  const offer = createSearchOffer(() => QUESTION_MS + 1)
  assert.equal(offer.answer(undefined, 'yes'), undefined)
  const answered = (changes: Partial<Connection>) =>
    offer.answer({ connection: { ...CONNECTED, ...changes } }, 'yes')
  assert.equal(answered({ isChat: false }), undefined)
  assert.equal(answered({ state: { kind: 'installing' } }), undefined)
  assert.equal(answered({}), undefined, 'it was too long ago')
})
