import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bitsOf, type Bound, FREE_BITS, joinLabels, type Label } from './label.ts'

const mine: Label = { integrity: 'user', level: 'sensitive', origins: new Set(['owner']) }
const theirs: Label = { integrity: 'external', level: 'public', origins: new Set(['web']) }

test('joinLabels() keeps the stricter half of each label, in either order', () => {
  const joined: Label = {
    integrity: 'external',
    level: 'sensitive',
    origins: new Set(['owner', 'web']),
  }
  assert.deepEqual(joinLabels(mine, theirs), joined)
  assert.deepEqual(joinLabels(theirs, mine), joined)
})

test('a join of bounds says at least as much as each of them', () => {
  const rows: readonly (readonly [Bound, Bound, Bound])[] = [
    [{ kind: 'bool' }, { kind: 'bool' }, { kind: 'bool' }],
    [{ kind: 'bool' }, { kind: 'enum', size: 1 }, { kind: 'enum', size: 2 }],
    [
      { kind: 'enum', size: 3 },
      { kind: 'enum', size: 5 },
      { kind: 'enum', size: 5 },
    ],
    [{ kind: 'enum', size: 3 }, { kind: 'enum' }, { kind: 'enum' }],
    [
      { kind: 'enum', size: 3 },
      { kind: 'member', of: 'a', size: 1 },
      { kind: 'member', of: 'a' },
    ],
    [
      { kind: 'member', of: 'a', size: 1 },
      { kind: 'member', of: 'b', size: 1 },
      { kind: 'member' },
    ],
  ]
  for (const [a, b, joined] of rows) {
    const join = (left: Bound, right: Bound): Bound | undefined =>
      joinLabels({ ...theirs, bound: left }, { ...theirs, bound: right }).bound
    assert.deepEqual([join(a, b), join(b, a)], [joined, joined])
    assert.ok(bitsOf(joined) >= Math.max(bitsOf(a), bitsOf(b)))
  }
})

test('bitsOf() is one for a boolean, log2 of the size of an enum, and too many for anything else', () => {
  assert.equal(bitsOf({ kind: 'bool' }), 1)
  assert.equal(bitsOf({ kind: 'enum', size: 8 }), 3)
  for (const bound of [
    undefined,
    { kind: 'enum' },
    { kind: 'number' },
    { kind: 'member' },
  ] as const) {
    assert.equal(bitsOf(bound), FREE_BITS)
  }
})
