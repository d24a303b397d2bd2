import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalJson, type Json } from '../text/json.ts'
import { BOUNDS, INTEGRITIES, joinLabels, type Label, LEVELS } from './label.ts'
import type { LabelTree, Provenance } from './label-tree.ts'
import { Labelled } from './labelled.ts'
import { RevealToken } from './reveal-token.ts'
import { restoreLabelled, restoreTree, storeLabelled, storeTree } from './stored-label.ts'

const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString'))
const label: fc.Arbitrary<Label> = fc.record(
  {
    integrity: fc.constantFrom(...INTEGRITIES),
    level: fc.constantFrom(...LEVELS),
    origins: fc.array(name, { maxLength: 3 }).map((all) => new Set(all)),
    bound: fc.record(
      {
        kind: fc.constantFrom(...BOUNDS),
        of: name,
        isDirectory: fc.constant(true as const),
        size: fc.integer({ min: 1 }),
      },
      { requiredKeys: ['kind'], noNullPrototype: true },
    ),
  },
  { requiredKeys: ['integrity', 'level', 'origins'], noNullPrototype: true },
)
const from: fc.Arbitrary<Provenance> = fc.oneof(
  fc.constant({ kind: 'user' } as const),
  fc.record({ kind: fc.constant('host' as const), what: name }, { noNullPrototype: true }),
  fc.record(
    { kind: fc.constant('tool' as const), server: name, tool: name, callId: name },
    { noNullPrototype: true },
  ),
  fc.record({ kind: fc.constant('model' as const), role: name }, { noNullPrototype: true }),
)
const span = fc.record(
  { start: fc.nat(9), end: fc.nat(9), label, from },
  { requiredKeys: ['start', 'end', 'label'], noNullPrototype: true },
)
const leaf: fc.Arbitrary<LabelTree> = fc.record(
  {
    label,
    from,
    spans: fc.array(span, { maxLength: 2 }),
  },
  { requiredKeys: ['label'], noNullPrototype: true },
)
const { tree } = fc.letrec<{ tree: LabelTree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc
      .tuple(leaf, fc.array(fc.tuple(name, tie('tree')), { maxLength: 3 }), fc.option(tie('tree')))
      .map(([whole, all, each]) => ({ ...whole, members: new Map(all), ...(each && { each }) })),
  ),
}))
const json = fc.jsonValue() as fc.Arbitrary<Json>

test('a label tree survives being written as JSON and read back', () => {
  fc.assert(
    fc.property(tree, (before) => {
      const text = JSON.stringify(storeTree(before))
      assert.deepEqual(restoreTree(JSON.parse(text)), before)
    }),
  )
})

test('POLICY-4: a labelled value survives, and joins to the same label', () => {
  fc.assert(
    fc.property(json, tree, label, (value, labels, other) => {
      const before = new Labelled(value, labels)
      const text = JSON.stringify(storeLabelled(before, RevealToken.issue()))
      const after = restoreLabelled(JSON.parse(text))
      assert.deepEqual(joinLabels(after.label, other), joinLabels(before.label, other))
      const shown = Labelled.reveal(after, RevealToken.issue())
      assert.deepEqual(shown, JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('two trees have one spelling only if they say the same', () => {
  fc.assert(
    fc.property(tree, label, (before, other) => {
      fc.pre(before.label.level !== other.level)
      const changed = { ...before, label: { ...before.label, level: other.level } }
      assert.notEqual(canonicalJson(storeTree(before)), canonicalJson(storeTree(changed)))
    }),
  )
  const members = (order: readonly string[]): LabelTree => {
    const one: LabelTree = { label: { integrity: 'user', level: 'public', origins: new Set() } }
    return { ...one, members: new Map(order.map((key) => [key, one])) }
  }
  const spell = (order: readonly string[]) => canonicalJson(storeTree(members(order)))
  assert.equal(spell(['a', 'b', 'c']), spell(['c', 'a', 'b']))
})

test('storeLabelled() opens nothing without a genuine pass', () => {
  const value = new Labelled('x', {
    label: { integrity: 'user', level: 'public', origins: new Set() },
  })
  assert.throws(() => storeLabelled(value, {} as RevealToken), TypeError)
})

test('restoreTree() refuses what it cannot read instead of guessing', () => {
  const good = { integrity: 'external', level: 'internal', origins: ['mail'] }
  assert.equal(restoreTree({ label: good }).label.integrity, 'external')
  for (const bad of [
    null,
    [],
    {},
    { label: { ...good, integrity: 'trusted' } },
    { label: { ...good, level: undefined } },
    { label: { ...good, origins: 'mail' } },
    { label: { ...good, bound: { kind: 'anything' } } },
    { label: good, from: { kind: 'tool', server: 'mail' } },
    { label: good, members: { to: { label: good } } },
    { label: good, spans: [{ start: '0', end: 2, label: good }] },
  ]) {
    assert.throws(() => restoreTree(bad), TypeError, JSON.stringify(bad))
  }
})

test('a bound stored without a size has none, and a size that cannot be is refused', () => {
  const stored = (bound: object): unknown => ({
    label: { integrity: 'external', level: 'public', origins: [], bound },
  })
  assert.deepEqual(restoreTree(stored({ kind: 'enum' })).label.bound, { kind: 'enum' })
  for (const size of [0, -1, 1.5, '2', null]) {
    assert.throws(() => restoreTree(stored({ kind: 'enum', size })), TypeError)
  }
})
