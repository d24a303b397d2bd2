import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bound, FREE_BITS, type Label, OWN_WORDS } from './label.ts'
import { Labelled } from './labelled.ts'
import { RevealToken } from './reveal-token.ts'
import { capacityOf, untrustedLeaves } from './untrusted-leaves.ts'

const theirs = (bound?: Bound): Label => ({
  integrity: 'external',
  level: 'public',
  origins: new Set(['web']),
  ...(bound && { bound }),
})
const flag = new Labelled(true, { label: theirs({ kind: 'bool' }) })
const own = new Labelled('mine', { label: OWN_WORDS })
const bits = (value: Labelled): number =>
  capacityOf(Labelled.reveal(value, RevealToken.issue()), value.tree)

test('capacityOf() adds up every untrusted leaf, also inside a text', () => {
  assert.equal(bits(own), 0)
  assert.equal(bits(flag), 1)
  assert.equal(bits(Labelled.list([flag, own, flag], OWN_WORDS)), 2)
  assert.equal(
    bits(Labelled.object({ a: flag, b: Labelled.list([flag, flag], OWN_WORDS) }, OWN_WORDS)),
    3,
  )
  assert.equal(bits(Labelled.text(['so ', flag, flag, flag], OWN_WORDS)), 3)
  const eight = new Labelled('x', { label: theirs({ kind: 'enum', size: 8 }) })
  assert.equal(bits(Labelled.list([eight, eight], OWN_WORDS)), 6)
  assert.equal(
    bits(Labelled.list([flag, new Labelled('x', { label: theirs() })], OWN_WORDS)),
    FREE_BITS,
  )
})

test('untrustedLeaves() names the members that lead to a leaf', () => {
  const value = Labelled.object(
    { a: own, options: Labelled.object({ public: flag }, OWN_WORDS) },
    OWN_WORDS,
  )
  const leaves = [...untrustedLeaves(Labelled.reveal(value, RevealToken.issue()), value.tree)]
  assert.deepEqual(
    leaves.map(({ names }) => names),
    [['options', 'public']],
  )
})
