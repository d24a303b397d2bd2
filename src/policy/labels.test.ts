/** A join only ever makes stricter, in whatever order; and no way of taking a value apart or together loses a label. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BOUNDS, INTEGRITIES, joinLabels, type Label, LEVELS } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import { RevealToken } from '../labels/reveal-token.ts'
import { restoreLabelled, storeLabelled } from '../labels/stored-label.ts'
import { labels } from './test-arbitrary-question.ts'

const RUNS = { numRuns: 500 }

test('joining is commutative, associative and idempotent', () => {
  fc.assert(
    fc.property(labels, labels, labels, (a, b, c) => {
      assert.deepEqual(plain(joinLabels(a, b)), plain(joinLabels(b, a)))
      assert.deepEqual(
        plain(joinLabels(joinLabels(a, b), c)),
        plain(joinLabels(a, joinLabels(b, c))),
      )
      assert.deepEqual(plain(joinLabels(a, { ...a })), plain(a))
    }),
    RUNS,
  )
})

test('a join is at least as strict as each side, and grows with each', () => {
  fc.assert(
    fc.property(labels, labels, labels, (a, b, c) => {
      const joined = joinLabels(a, b)
      assert.ok(isAtMost(a, joined) && isAtMost(b, joined))
      assert.ok(isAtMost(joinLabels(a, c), joinLabels(joined, c)))
    }),
    RUNS,
  )
})

test('lists, objects, texts and raising keep the labels of what they are made of', () => {
  fc.assert(
    fc.property(labels, labels, labels, (a, b, by) => {
      const [one, two] = [new Labelled('one', { label: a }), new Labelled(2, { label: b })]
      const made = [
        Labelled.list([one, two], MINE),
        Labelled.object({ one, two }, MINE),
        Labelled.text(['x', one, 'y', two], MINE),
      ]
      for (const value of made) {
        assert.ok(isAtMost(joinLabels(a, b), value.label))
        assert.ok(isAtMost(joinLabels(joinLabels(a, b), by), value.raised(by).label))
      }
      assert.deepEqual(plain(made[0]?.at(1)?.label), plain(b))
      assert.deepEqual(plain(made[1]?.at('one')?.label), plain(a))
    }),
    RUNS,
  )
})

test('a stored value is restored with the same labels, leaf by leaf', () => {
  fc.assert(
    fc.property(labels, labels, labels, (a, b, whole) => {
      const leaf = new Labelled('leaf', { label: a })
      const text = Labelled.text(['x', new Labelled('y', { label: b })], MINE)
      const value = Labelled.object({ leaf, text, list: Labelled.list([leaf], whole) }, whole)
      const stored = JSON.parse(
        JSON.stringify(storeLabelled(value, RevealToken.issue())),
      ) as unknown
      const restored = restoreLabelled(stored)
      for (const path of [[], ['leaf'], ['text'], ['list'], ['list', 0]]) {
        assert.deepEqual(plain(restored.at(...path)?.label), plain(value.at(...path)?.label))
      }
    }),
    RUNS,
  )
})

const MINE: Label = { integrity: 'user', level: 'public', origins: new Set() }

function plain(label: Label | undefined): unknown {
  return label && { ...label, origins: [...label.origins].sort() }
}

function isAtMost(a: Label, b: Label): boolean {
  return (
    INTEGRITIES.indexOf(a.integrity) <= INTEGRITIES.indexOf(b.integrity) &&
    LEVELS.indexOf(a.level) <= LEVELS.indexOf(b.level) &&
    a.origins.isSubsetOf(b.origins) &&
    saysAtMost(a, b)
  )
}

/** Of two untrusted ones, the second can say at least as much. */
function saysAtMost(a: Label, b: Label): boolean {
  if (a.integrity !== 'external' || !b.bound) return true
  if (!a.bound || BOUNDS.indexOf(a.bound.kind) > BOUNDS.indexOf(b.bound.kind)) return false
  if (a.bound.kind !== b.bound.kind) return true
  if (b.bound.isDirectory && !a.bound.isDirectory) return false
  return b.bound.of === undefined || a.bound.of === b.bound.of
}
