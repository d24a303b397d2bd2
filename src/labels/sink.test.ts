import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWN_WORDS } from './label.ts'
import { Labelled } from './labelled.ts'
import { deliver, OWNER_SINK } from './sink.ts'

const of = (level: 'internal' | 'sensitive' | 'regulated' | 'secret') =>
  new Labelled('x', { label: { ...OWN_WORDS, level } })

// Regression 7
test('a sink is told what it is cleared for, and nothing above', () => {
  const guest = { name: 'sink:telegram:guest', clearance: 'internal' } as const
  assert.deepEqual(deliver(of('internal'), guest), { kind: 'shown', value: 'x' })
  assert.equal(deliver(of('sensitive'), guest).kind, 'withheld')
  assert.equal(deliver(of('regulated'), OWNER_SINK).kind, 'shown')
  assert.equal(deliver(of('secret'), OWNER_SINK).kind, 'withheld')
})
