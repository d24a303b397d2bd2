/**
 * Names, order and membership carry labels. In each control the same value has the label of its leaf alone, as before
 * the rule, and the call is made in silence.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  count,
  extreme,
  filter,
  first,
  last,
  map,
  sort,
} from '../../../src/flows/operators/operators.ts'
import { type Label, OWN_WORDS } from '../../../src/labels/label.ts'
import { Labelled } from '../../../src/labels/labelled.ts'
import type { Json } from '../../../src/text/json.ts'
import { type FakeTool, openFakeDoor } from './fake-door.ts'

const INVOICES = [
  { id: 'inv-1', title: 'Rent', payee: 'p-landlord' },
  { id: 'inv-9', title: 'zzz pay me', payee: 'p-eve' },
]
const tools = {
  'bank.invoices': { effect: 'remote-read', fields: ['[*].id'], answer: () => INVOICES },
  'bank.pay': { effect: 'write', roles: { amount: 'amount' } },
  'bank.transfer': { effect: 'write' },
  'shop.orders': { effect: 'remote-read', fields: ['[*].id'], answer: () => INVOICES },
  'web.page': { effect: 'remote-read', answer: () => ['one', 'two', 'three'] },
  'bank.tags': {
    effect: 'remote-read',
    fields: ['[*]'],
    answer: () => ({ 'p-eve': 1, 'pay me': 2 }),
  },
  'bank.tag': { effect: 'write' },
} as const satisfies Readonly<Record<string, FakeTool>>

const MINTED: Label = { integrity: 'system', level: 'internal', origins: new Set(['bank']) }
const minted = (json: Json): Labelled => new Labelled(json, { label: MINTED })
const idOf = (item: Labelled | undefined): Labelled => item?.at('id') ?? assert.fail()
const own = (json: Json): Labelled => new Labelled(json, { label: OWN_WORDS })

const picks: Readonly<Record<string, (list: Labelled) => Labelled>> = {
  argmax: (list) => extreme(list, ['title'], true),
  argmin: (list) => extreme(list, ['title'], false),
  'sort and first': (list) => first(sort(list, ['title'], true)),
  'sort and [0]': (list) => sort(list, ['title'], true).at(0) ?? assert.fail(),
  select: (list) => first(filter(list, [{ field: ['title'], op: 'contains', value: own('pay') }])),
  last: (list) => last(sort(list, ['title'], false)),
}

for (const [name, pick] of Object.entries(picks)) {
  test(`S3: an id picked by ${name} over a title is not the bank’s own`, async () => {
    const door = openFakeDoor(tools)
    const id = idOf(pick(await door.call('bank.invoices')))
    assert.deepEqual([id.label.integrity, id.label.bound?.kind], ['external', 'member'])
    assert.equal(await door.askedBy('bank.pay', { id, amount: id }), 'target.external')
    assert.equal(await door.askedBy('bank.pay', { id: minted('inv-9'), amount: 5 }), undefined)
  })
}

test('S3: the first of the bank’s own list is the bank’s own, and at no other server', async () => {
  const door = openFakeDoor(tools)
  assert.equal(
    await door.askedBy('bank.transfer', { id: idOf((await door.call('bank.invoices')).at(0)) }),
    undefined,
  )
  const foreign = idOf((await door.call('shop.orders')).at(0))
  assert.equal(foreign.label.integrity, 'system')
  assert.equal(await door.askedBy('bank.transfer', { id: foreign }), 'target.external')
})

test('S3: the order of a page’s list chooses among the bank’s answers', async () => {
  const door = openFakeDoor(tools)
  const page = await door.call('web.page')
  const invoices = await door.call('bank.invoices')
  const answers = map(page, () => invoices)
  const id = idOf(answers.at(1)?.at(0))
  assert.deepEqual([id.label.integrity, id.label.origins.has('web')], ['external', true])
  assert.equal(await door.askedBy('bank.transfer', { id }), 'target.external')
  assert.equal(await door.askedBy('bank.transfer', { id: minted('inv-1') }), undefined)
})

test('S3: a whole list says which items it has', async () => {
  const door = openFakeDoor(tools)
  const page = await door.call('web.page')
  const ids = map(page, () => own('the same words'))
  assert.equal(ids.label.integrity, 'external')
  assert.equal(await door.askedBy('bank.transfer', { id: ids }), 'target.external')
  const written = Labelled.list([own('the same words')], OWN_WORDS)
  assert.equal(await door.askedBy('bank.transfer', { id: written }), undefined)
})

test('S3: names of members are text of whoever wrote them', async () => {
  const door = openFakeDoor(tools)
  const tags = await door.call('bank.tags')
  assert.equal(tags.at('p-eve')?.label.integrity, 'system')
  assert.equal(tags.label.integrity, 'external')
  assert.equal(await door.askedBy('bank.tag', { tags }), 'target.external')
  assert.equal(await door.askedBy('bank.tag', { tags: minted({ 'p-eve': 1 }) }), undefined)
})

test('S3: the length of a list is a number that its author chose', async () => {
  const door = openFakeDoor(tools)
  const amount = count(await door.call('web.page'))
  assert.equal(await door.askedBy('bank.pay', { id: 'p-landlord', amount }), 'target.external')
  const ownCount = count(Labelled.list([own('a'), own('b')], OWN_WORDS))
  assert.equal(await door.askedBy('bank.pay', { id: 'p-landlord', amount: ownCount }), undefined)
})
