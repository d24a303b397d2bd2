import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Label, type Level, OWN_WORDS } from './label.ts'
import { isHeldBy, soleHolder, viaOrigin } from './via-origin.ts'
import { toldTo } from './told-label.ts'

const of = (level: Level, ...origins: string[]): Label => ({
  integrity: 'external',
  level,
  origins: new Set(origins),
})

test('toldTo() notes others’ confidential data, with the way it came', () => {
  assert.deepEqual(toldTo('notes', [of('sensitive', 'mail'), OWN_WORDS]), {
    integrity: 'user',
    level: 'sensitive',
    origins: new Set(['mail via notes']),
  })
  const mixed = toldTo('notes', [of('sensitive', 'mail', 'notes'), of('regulated', 'bank')])
  assert.deepEqual(
    [mixed?.level, [...(mixed?.origins ?? [])]],
    ['regulated', ['mail via notes', 'bank via notes']],
  )
})

test('toldTo() notes nothing that the server has already, that is public, or that the owner wrote', () => {
  const nothing = [
    OWN_WORDS,
    of('public', 'mail'),
    of('regulated', 'notes'),
    of('sensitive', 'notes', 'mail via notes'),
  ]
  assert.equal(toldTo('notes', nothing), undefined)
})

test('an origin has one way at most, so that a chain of servers does not grow it', () => {
  assert.equal(viaOrigin(viaOrigin('mail', 'notes'), 'diary'), 'mail via diary')
})

test('data counts as held only by the server at the end of its way', () => {
  assert.ok(isHeldBy('mail via notes', 'notes') && isHeldBy('notes', 'notes'))
  assert.ok(!isHeldBy('mail via notes', 'mail') && !isHeldBy('mail via my-notes', 'notes'))
})

test('soleHolder() is the server that has all of it, in any order', () => {
  assert.equal(soleHolder(new Set(['mail via notes', 'notes'])), 'notes')
  assert.equal(soleHolder(new Set(['notes'])), 'notes')
  assert.equal(soleHolder(new Set(['notes', 'mail'])), undefined)
  assert.equal(soleHolder(new Set(['mail via notes', 'bank'])), undefined)
  assert.equal(soleHolder(new Set()), undefined)
})
