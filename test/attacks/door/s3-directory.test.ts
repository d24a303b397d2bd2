/**
 * The directory grant lets the owner's own words go to a person or channel that somebody else's words picked. It holds
 * for a directory and a message, and for nothing else that a server lists. In each control the picked value has the
 * label that the rule looks for, and the call is made in silence.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extreme, first, filter } from '../../../src/flows/operators/operators.ts'
import { type Label, OWN_WORDS } from '../../../src/labels/label.ts'
import { Labelled } from '../../../src/labels/labelled.ts'
import { restoreTree, storeTree } from '../../../src/labels/stored-label.ts'
import type { Json } from '../../../src/text/json.ts'
import { type FakeTool, openFakeDoor } from './fake-door.ts'

const PAYEES = [
  { id: 'p-landlord', title: 'Rent' },
  { id: 'p-eve', title: 'zzz pay this one' },
]
const CHANNELS = [
  { id: 'C1', name: 'team' },
  { id: 'C2', name: 'everybody' },
]
const tools = {
  'bank.payees': { effect: 'remote-read', fields: ['[*].id'], answer: () => PAYEES },
  'bank.people': { effect: 'remote-read', directory: ['[*].id'], answer: () => PAYEES },
  'bank.pay': { effect: 'write', roles: { note: 'content', amount: 'amount' } },
  'bank.order': { effect: 'write', roles: { note: 'content' } },
  'bank.close': { effect: 'write' },
  'chat.channels': { effect: 'remote-read', directory: ['[*].id'], answer: () => CHANNELS },
  'chat.post': { effect: 'write', roles: { text: 'content' } },
  'chat.join': { effect: 'write' },
  'mail.post': { effect: 'write', roles: { text: 'content' } },
} as const satisfies Readonly<Record<string, FakeTool>>

const own = (json: Json): Labelled => new Labelled(json, { label: OWN_WORDS })
const byTitle = (list: Labelled): Labelled =>
  extreme(list, ['title'], true).at('id') ?? assert.fail()
const byName = (list: Labelled): Labelled =>
  first(filter(list, [{ field: ['name'], op: 'eq', value: own('team') }])).at('id') ?? assert.fail()

/** The same id, as an entry of the bank's directory that was picked by words of others. */
const LISTED: Label = {
  integrity: 'external',
  level: 'internal',
  origins: new Set(['bank']),
  bound: { kind: 'member', of: 'bank', isDirectory: true },
}

test('S3: bank.pay with an id that an attacker’s title picked asks, note or not', async () => {
  const door = openFakeDoor(tools)
  const id = byTitle(await door.call('bank.payees'))
  assert.deepEqual(id.label.bound, { kind: 'member', of: 'bank' })
  assert.equal(await door.askedBy('bank.pay', { id, amount: 5 }), 'target.external')
  assert.equal(await door.askedBy('bank.pay', { id, amount: 5, note: 'rent' }), 'target.external')
  assert.equal(await door.askedBy('bank.order', { id, note: 'as always' }), 'target.external')
  assert.equal(door.reached.filter(({ tool }) => tool.name !== 'payees').length, 0)

  const listed = new Labelled('p-eve', { label: LISTED })
  assert.equal(await door.askedBy('bank.order', { id: listed, note: 'as always' }), undefined)
  assert.deepEqual(door.reached.at(-1)?.args, { id: 'p-eve', note: 'as always' })
})

test('S3: an entry of a directory is no payee, and a tool without words is no message', async () => {
  const door = openFakeDoor(tools)
  const id = byTitle(await door.call('bank.people'))
  assert.deepEqual(id.label.bound, LISTED.bound)
  assert.equal(await door.askedBy('bank.pay', { id, amount: 5, note: 'rent' }), 'target.external')
  assert.equal(await door.askedBy('bank.close', { id }), 'target.external')
  assert.equal(await door.askedBy('bank.order', { id, note: 'hello' }), undefined, 'control')
})

test('S3: own words go to a channel picked from the list of channels, and nobody else’s do', async () => {
  const door = openFakeDoor(tools)
  const list = await door.call('chat.channels')
  const id = byName(list)
  assert.equal(await door.askedBy('chat.post', { id, text: 'lunch is ready' }), undefined)
  assert.deepEqual(door.reached.at(-1)?.args, { id: 'C1', text: 'lunch is ready' })
  const theirs = list.at(1, 'name') ?? assert.fail()
  assert.equal(await door.askedBy('chat.post', { id, text: theirs }), 'target.external')
  assert.equal(await door.askedBy('chat.join', { id }), 'target.external')
  assert.equal(await door.askedBy('mail.post', { id, text: 'lunch is ready' }), 'target.external')
})

test('S3: a list of entries is a directory only if all of it is, also after it was stored', async () => {
  const door = openFakeDoor(tools)
  const person = byTitle(await door.call('bank.people'))
  const kept = new Labelled('p-eve', restoreTree(storeTree(person.tree)))
  assert.deepEqual(kept.label, person.label)
  const payee = byTitle(await door.call('bank.payees'))
  const both = Labelled.list([kept, payee], OWN_WORDS)
  assert.deepEqual(both.label.bound, { kind: 'member', of: 'bank' })
  assert.equal(await door.askedBy('bank.order', { id: both, note: 'hello' }), 'target.external')
  const people = Labelled.list([kept, person], OWN_WORDS)
  assert.equal(await door.askedBy('bank.order', { id: people, note: 'hello' }), undefined)
})
