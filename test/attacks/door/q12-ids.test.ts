/**
 * Ids that a stranger mints, learned from its schemas: they are its own only on the way back to it, and only while they
 * look like ids. In each control the same value has the label that it would have without the rule.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Label } from '../../../src/labels/label.ts'
import { Labelled } from '../../../src/labels/labelled.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { define, openHouse } from '../../servers/runtime/direct-sandbox.ts'
import { openFakeDoor } from './fake-door.ts'

const door = openFakeDoor({
  'claimer.tag': { effect: 'write' },
  'bank.pay': { effect: 'write', others: 'sensitive' },
})

/** The answer of a real server that no catalog knows, as the door labels it. */
async function notes(): Promise<Labelled> {
  await using house = await openHouse([define('claimer', 'claimer')])
  const answer = await house.call('claimer', 'list_notes', {})
  assert.ok(answer.kind === 'ok' && answer.labels)
  return new Labelled(answer.value, answer.labels)
}

test('12: an id that goes back to the server that minted it is its own, and a title is not', async () => {
  const answer = await notes()
  const [id, title] = [answer.at('newest', 'note_id'), answer.at('newest', 'title')]
  assert.ok(id && title)
  assert.equal(id.label.integrity, 'system')
  assert.equal(await door.askedBy('claimer.tag', { note_id: id }), undefined)
  assert.equal(await door.askedBy('claimer.tag', { note_id: title }), 'target.external')
})

test('12: the same id steers nothing in silence at another server', async () => {
  const id = (await notes()).at('newest', 'note_id')
  assert.ok(id)
  assert.equal(await door.askedBy('bank.pay', { to: id }), 'target.external')
  // Control: if the id did not remember where it was minted, the payment would be made.
  const forgotten: Label = { ...id.label, origins: new Set() }
  const control = new Labelled('n-2', { label: forgotten })
  assert.equal(await door.askedBy('bank.pay', { to: control }), undefined)
})

test('12: a tool view tells which fields were learned', async () => {
  await using house = await openHouse([define('claimer', 'claimer')])
  const server = parseServerId('claimer')
  await house.servers.start(server, new AbortController().signal)
  const view = await house.servers.toolIndex.view({ server, name: 'list_notes' })
  assert.deepEqual(view?.learned, ['notes[*].note_id', 'newest.note_id'])
})
