/** A server that labels its own answers: the label that its definition gives them stands, and bites. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Level } from '../../src/labels/label.ts'
import { define, openHouse } from '../servers/runtime/direct-sandbox.ts'
import { openDoor } from './rows/door.ts'

const PLACES = [['entry'], ['label'], []] as const

/** The levels of an answer of a server that its owner calls `label`, and the rule that keeps it from another server. */
async function read(label: Level) {
  const tools = { diary: { semantics: 'read' } } as const
  const shared = { allowedDomains: ['api.example.test'] }
  await using house = await openHouse([
    define('diary', 'attack-labeller', { ...shared, label, tools }),
    define('mail', 'attack-mailbox', { ...shared, tools: { send: { semantics: 'write' } } }),
  ])
  const door = openDoor(house)
  const result = await door.call('diary.diary')
  assert.ok(result.kind === 'ok')
  const parts = PLACES.map((place) => result.value.at(...place))
  const body = parts[0]
  assert.ok(body)
  return {
    labels: parts.map((part) => [part?.label.level, part?.label.integrity]),
    refusedBy: await door.refusedBy('mail.send', { to: 'ada@example.com', body }),
  }
}

// Regression 5
test('POLICY-8: an answer that calls itself public is as confidential as its server, and goes nowhere unasked', async () => {
  const { labels, refusedBy } = await read('sensitive')
  for (const label of labels) assert.deepEqual(label, ['sensitive', 'external'])
  assert.equal(refusedBy, 'flow')
})

test('the same answer of a server that its owner calls public goes on', async () => {
  const { labels, refusedBy } = await read('public')
  for (const label of labels) assert.deepEqual(label, ['public', 'external'])
  assert.equal(refusedBy, undefined)
})
