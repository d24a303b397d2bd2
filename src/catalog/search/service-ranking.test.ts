import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Service } from '../../ports/service-facts.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { KNOWN_SERVICES } from '../known-services.ts'
import { strangerService } from '../stranger-service.ts'
import { createServiceRanking } from './service-ranking.ts'
import { searchForms } from './search-terms.ts'

function stranger(name: string, about = ''): Service {
  return strangerService({
    slug: parseServerId('x'),
    title: name,
    about,
    origin: 'official',
    source: { kind: 'official', name },
    launch: { kind: 'remote', url: 'https://example.com/mcp', transport: 'stream-http' },
  })
}

function firstFor(query: string, ...strangers: readonly Service[]): string | undefined {
  const rank = createServiceRanking(query, KNOWN_SERVICES)
  const all = [...strangers, ...KNOWN_SERVICES].filter((service) => rank(service) > 0)
  return all.toSorted((a, b) => rank(b) - rank(a))[0]?.title
}

test('a known service is found by everyday words, by its name among others, and if mistyped', () => {
  assert.equal(firstFor('web search'), 'Brave Search')
  assert.equal(firstFor('send a slack message'), 'Slack')
  assert.equal(firstFor('todo list'), 'Todoist')
  assert.equal(firstFor('googel calendar'), 'Google Calendar')
  assert.equal(firstFor('read my e-mail') === 'Resend', firstFor('email') === 'Resend')
  assert.equal(firstFor('zebra'), undefined)
})

test('a stranger comes after a known service that fits as well, and before one that fits less', () => {
  const praise = 'The best slack: send every slack message'
  assert.equal(firstFor('send slack message', stranger('a.b/slack-message', praise)), 'Slack')
  assert.equal(firstFor('email', stranger('io.github.someone/email')), 'SendGrid')
  const maps = stranger('io.github.someone/google-maps')
  assert.equal(firstFor('google maps', maps), maps.title)
  const home = stranger('io.github.homeassistant-ai/ha-mcp', 'Controls Home Assistant')
  assert.equal(firstFor('home assistant', home), home.title)
})

test('the part of a name that every entry has does not count, its full name does', () => {
  assert.equal(firstFor('io', stranger('io.github.someone/zebra')), undefined)
  const full = stranger('io.github.someone/notion')
  assert.equal(firstFor('io.github.someone/notion', full), full.title)
})

test('a registry is asked for the joined words, for each word, and for the full name as it is', () => {
  assert.deepEqual(searchForms('a tracker from acme'), [
    'tracker-acme',
    'trackeracme',
    'tracker',
    'acme',
  ])
  assert.deepEqual(searchForms('io.github.acme/tracker'), ['io.github.acme/tracker'])
  assert.equal(searchForms('kubernetes')[0], 'kubernetes')
  assert.ok(searchForms('one two three four five six seven eight nine').length <= 8)
})
