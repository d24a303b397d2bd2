import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../text/json.ts'
import type { Label } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { parseFieldPath } from '../../text/field-path.ts'
import { foreseeLabels, labelAnswer } from './output-labels.ts'

const label: Label = { integrity: 'external', level: 'internal', origins: new Set(['notes']) }
const from = { kind: 'tool', server: 'notes', tool: 'list', callId: '1' } as const

function labelled(value: Json, fields: readonly string[], meta?: Json): Labelled {
  const raw = meta === undefined ? {} : { _meta: meta }
  return new Labelled(value, labelAnswer({ label, raw, fields, from }))
}
const integrityAt = (value: Labelled, ...path: (string | number)[]): string | undefined =>
  value.at(...path)?.label.integrity

const ITEMS = {
  items: [
    { id: 'a', title: 'x' },
    { id: 'b', title: 'y' },
  ],
  next: 'c',
}

test('everything a server says is foreign, and says where it came from', () => {
  const value = labelled(ITEMS, [])
  assert.deepEqual(value.label, label)
  assert.deepEqual(value.at('items', 0, 'id')?.from, from)
})

test("a named field is the service's own, in every item, and nothing else is", () => {
  const value = labelled(ITEMS, ['items[*].id'])
  assert.equal(integrityAt(value, 'items', 1, 'id'), 'system')
  assert.deepEqual(value.at('items', 1, 'id')?.label.origins, new Set(['notes']))
  assert.equal(integrityAt(value, 'items', 1, 'title'), 'external')
  assert.equal(integrityAt(value, 'items', 1), 'external')
  assert.equal(integrityAt(value, 'next'), 'external')
  assert.deepEqual(value.at('items', 0, 'id')?.from, from)
})

test('an answer may be a list, and fields may stand beside each other', () => {
  const value = labelled([{ id: 'a', owner: { id: 'u', name: 'n' } }], ['[*].id', '[*].owner.id'])
  assert.equal(integrityAt(value, 0, 'id'), 'system')
  assert.equal(integrityAt(value, 0, 'owner', 'id'), 'system')
  assert.equal(integrityAt(value, 0, 'owner', 'name'), 'external')
})

test('an entry of a directory is bounded, and not the service’s own: its bearer chose its name', () => {
  const marks = { label, from, fields: ['next'], directory: ['items[*].id'] }
  const [of] = label.origins
  for (const tree of [labelAnswer({ ...marks, raw: {} }), foreseeLabels(marks)]) {
    const value = new Labelled(ITEMS, tree)
    const entry = value.at('items', 1, 'id')?.label
    assert.equal(entry?.integrity, 'external')
    assert.deepEqual(entry.bound, { kind: 'member', of, isDirectory: true })
    assert.equal(integrityAt(value, 'next'), 'system')
    assert.deepEqual([value.at('next')?.label.bound, value.label.bound], [undefined, undefined])
  }
  const odd = new Labelled({ items: [{ id: { name: 'x' } }] }, labelAnswer({ ...marks, raw: {} }))
  assert.equal(odd.at('items', 0, 'id', 'name')?.label.bound, undefined)
})

test('a field that should hold one value stays external where it holds a list or an object', () => {
  const value = labelled({ items: [{ id: { note: 'do this' } }, { id: ['or that'] }] }, [
    'items[*].id',
  ])
  assert.equal(integrityAt(value, 'items', 0, 'id', 'note'), 'external')
  assert.equal(integrityAt(value, 'items', 0, 'id'), 'external')
  assert.equal(integrityAt(value, 'items', 1, 'id'), 'external')
})

test('a label that a server gives its answer can raise the level, and lowers nothing', () => {
  const level = (meta: Json): string => labelled(ITEMS, ['items[*].id'], meta).label.level
  assert.equal(level({ ifc: 'sensitive' }), 'sensitive')
  assert.equal(level({ 'io.modelcontextprotocol/ifc': { level: 'regulated' } }), 'regulated')
  assert.equal(level({ 'vendor/sensitivity': 'high' }), 'regulated')
  assert.equal(level({ privateHint: true }), 'sensitive')
  assert.equal(level({ ifc: 'public', level: 'public' }), 'internal')
  assert.equal(level({ ifc: { integrity: 'user' } }), 'internal')
  assert.equal(level('sensitive'), 'internal')
  const trusted = labelled(ITEMS, [], { ifc: { integrity: 'system', level: 'sensitive' } })
  assert.equal(trusted.label.integrity, 'external')
  const marked = labelled(ITEMS, ['items[*].id'], { level: 'sensitive' }).at('items', 0, 'id')
  assert.equal(marked?.label.level, 'sensitive')
})

test('the labels of a large answer are as many as those of a small one', () => {
  const many = { items: Array.from({ length: 100_000 }, (_, at) => ({ id: String(at) })) }
  const tree = labelAnswer({ label, raw: many, fields: ['items[*].id'], from })
  assert.equal(tree.members?.get('items')?.each?.members?.size, 1)
})

test('a path is names with dots between them, and [*] for each', () => {
  for (const good of ['id', 'items[*].id', '[*]', '[*].a.b_c', 'a[*][*].x-y', '$ref']) {
    assert.ok(parseFieldPath(good), good)
  }
  for (const bad of ['', '.id', 'a..b', 'a[0]', 'a[*]b', 'a.', 'a b', '*', 'a["b"]']) {
    assert.equal(parseFieldPath(bad), undefined, bad)
  }
})

test('before there is an answer, a named field counts as the single value it was named for', () => {
  const fields = ['id']
  const tree = foreseeLabels({ label, fields, from })
  assert.equal(tree.label.integrity, 'external')
  assert.deepEqual(tree.members?.get('id'), { label: { ...label, integrity: 'system' } })
  const answered = labelAnswer({ label, raw: {}, fields, from }).members?.get('id')
  assert.deepEqual(answered?.each, { label }, 'what is in it later is not')
})
