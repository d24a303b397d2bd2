import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Json } from '../../text/json.ts'
import { INTEGRITIES, type Label, LEVELS, OWN_WORDS } from '../../labels/label.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import { Labelled } from '../../labels/labelled.ts'
import { RevealToken } from '../../labels/reveal-token.ts'
import {
  count,
  extreme,
  filter,
  first,
  joinText,
  last,
  map,
  pick,
  select,
  sort,
  unique,
} from './operators.ts'

const theirs: Label = { integrity: 'external', level: 'internal', origins: new Set(['hotels']) }
const ids: Label = { ...theirs, integrity: 'system' }
const bare = (value: Labelled): Json => Labelled.reveal(value, RevealToken.issue())
const literal = (value: Json): Labelled => new Labelled(value, { label: OWN_WORDS })
const where = (field: string, op: 'eq' | 'gte' | 'in', value: Json) => [
  { field: [field], op, value: literal(value) },
]

/** The server itself writes ids, prices and stars; names are untrusted. */
const own = new Map(['id', 'price', 'stars'].map((name) => [name, { label: ids }]))
const hotels = new Labelled(
  [
    { id: 'h1', name: 'Ritz', price: 300, stars: 5 },
    { id: 'h2', name: 'Ibis', price: 80, stars: 3 },
    { id: 'h3', name: 'Novotel', price: 120, stars: 4 },
    { id: 'h4', name: 'Ibis' },
  ],
  {
    label: theirs,
    from: { kind: 'tool', server: 'hotels', tool: 'search', callId: 'c' },
    each: { label: theirs, members: own },
  },
)
const idOf = (value: Labelled): Labelled => value.at('id') as Labelled

test('choosing by a field of the server itself leaves an id what it was', () => {
  const cheapest = extreme(filter(hotels, where('stars', 'gte', 4)), ['price'], false)
  assert.equal(bare(idOf(cheapest)), 'h3')
  assert.equal(idOf(cheapest).label.integrity, 'system')
  assert.equal(cheapest.at('name')?.label.integrity, 'external')
})

test('choosing by what others wrote makes the choice theirs, and the id one of a list', () => {
  const found = select(hotels, where('name', 'eq', 'Ibis'))
  const id = idOf(found)
  assert.equal(bare(id), 'h2')
  assert.equal(id.label.integrity, 'external')
  assert.deepEqual(id.label.bound, { kind: 'member', of: 'hotels' })
  assert.equal(id.from?.kind, 'tool')
  assert.equal(found.at('name')?.label.bound, undefined)
  assert.equal(idOf(sort(hotels, ['name'], false).at(0) as Labelled).label.integrity, 'external')
  assert.equal(idOf(extreme(hotels, ['name'], true)).label.integrity, 'external')
})

test('choosing among the owner’s own words is choosing one of them', () => {
  const list = new Labelled(
    [
      { to: 'ann', vote: 1 },
      { to: 'bob', vote: 2 },
    ],
    {
      label: OWN_WORDS,
      each: { label: OWN_WORDS, members: new Map([['vote', { label: theirs }]]) },
    },
  )
  const to = extreme(list, ['vote'], true).at('to') as Labelled
  assert.equal(bare(to), 'bob')
  assert.equal(to.label.integrity, 'external')
  assert.deepEqual(to.label.bound, { kind: 'enum', size: 2 })
})

test('a value to compare with that is not the owner’s makes the choice external too', () => {
  const said = new Labelled(5, { label: theirs })
  const found = select(hotels, [{ field: ['stars'], op: 'eq', value: said }])
  assert.equal(idOf(found).label.integrity, 'external')
})

test('a confidential field that decides makes what is chosen as confidential', () => {
  const secretive = { ...ids, level: 'regulated', origins: new Set(['bank']) } as const
  const list = new Labelled(
    [
      { id: 1, balance: 5 },
      { id: 2, balance: 9 },
    ],
    {
      label: theirs,
      each: {
        label: theirs,
        members: new Map([
          ['id', { label: ids }],
          ['balance', { label: secretive }],
        ]),
      },
    },
  )
  const { label } = idOf(extreme(list, ['balance'], true))
  assert.equal(label.level, 'regulated')
  assert.deepEqual([...label.origins].sort(), ['bank', 'hotels'])
})

test('sort puts what cannot be compared last, either way, and keeps the order of equals', () => {
  const order = (by: string, down: boolean) =>
    (bare(sort(hotels, [by], down)) as { id: string }[]).map(({ id }) => id)
  assert.deepEqual(order('price', false), ['h2', 'h3', 'h1', 'h4'])
  assert.deepEqual(order('price', true), ['h1', 'h3', 'h2', 'h4'])
  assert.deepEqual(order('name', false), ['h2', 'h4', 'h3', 'h1'])
})

test('first, last, count, unique, pick, map and joinText give what they say', () => {
  assert.equal(bare(idOf(first(hotels))), 'h1')
  assert.equal(idOf(first(hotels)).label.integrity, 'system')
  assert.equal(bare(idOf(last(hotels))), 'h4')
  assert.equal(bare(count(hotels)), 4)
  assert.deepEqual(count(hotels).label.bound, { kind: 'number' })
  assert.deepEqual(bare(map(unique(hotels, ['name']), idOf)), ['h1', 'h2', 'h3'])
  assert.deepEqual(bare(pick(first(hotels), ['id', 'stars', 'none'])), { id: 'h1', stars: 5 })
  assert.equal(pick(first(hotels), ['id']).label.integrity, 'system')
  assert.deepEqual(bare(pick(hotels, ['name']).at(1) as Labelled), { name: 'Ibis' })
  const names = joinText(
    map(hotels, (one) => one.at('name') as Labelled),
    ', ',
    OWN_WORDS,
  )
  assert.equal(bare(names), 'Ritz, Ibis, Novotel, Ibis')
  assert.equal(names.tree.spans?.length, 4)
})

test('of nothing comes nothing', () => {
  const none = new Labelled([], { label: theirs })
  for (const value of [first(none), last(none), extreme(none, ['x'], true)]) {
    assert.equal(bare(value), null)
    assert.equal(value.label.integrity, 'external')
  }
  assert.equal(bare(select(hotels, where('name', 'eq', 'Hilton'))), null)
  assert.equal(bare(extreme(hotels, ['none'], true)), null)
  assert.equal(bare(count(none)), 0)
})

test('an operator refuses a value that is not a list', () => {
  assert.throws(() => first(literal({ a: 1 })), { code: 'flows.not-a-list' })
  assert.throws(() => count(literal('abc')), { code: 'flows.not-a-list' })
})

const anyLabel: fc.Arbitrary<Label> = fc.record({
  integrity: fc.constantFrom(...INTEGRITIES),
  level: fc.constantFrom(...LEVELS),
  origins: fc.subarray(['a', 'b', 'c']).map((list) => new Set(list)),
})

test('no operator lowers a label: what comes out is at least as strict as it was and as the choice', () => {
  const label = fc.record({ id: anyLabel, key: anyLabel, rest: anyLabel })
  const keys = fc.array(fc.oneof(fc.nat(9), fc.constantFrom('x', 'y')), {
    minLength: 1,
    maxLength: 8,
  })
  fc.assert(
    fc.property(label, keys, fc.boolean(), (labels, values, flag) => {
      const members = new Map<string, LabelTree>([
        ['id', { label: labels.id }],
        ['key', { label: labels.key }],
      ])
      const list = new Labelled(
        values.map((key, id) => ({ id, key })),
        { label: labels.rest, each: { label: labels.rest, members } },
      )
      const results = [
        first(sort(list, ['key'], flag)),
        extreme(list, ['key'], flag),
        first(unique(list, ['key'])),
        select(list, [{ field: ['key'], op: 'eq', value: literal(values[0] ?? 0) }]),
      ]
      for (const result of results) {
        const id = result.at('id')?.label ?? assert.fail('nothing came out')
        for (const part of [labels.id, labels.key]) {
          assert.ok(INTEGRITIES.indexOf(id.integrity) >= INTEGRITIES.indexOf(part.integrity))
          assert.ok(LEVELS.indexOf(id.level) >= LEVELS.indexOf(part.level))
          assert.ok(part.origins.isSubsetOf(id.origins))
        }
        if (id.bound) assert.equal(id.integrity, 'external')
      }
    }),
  )
})
