import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Json } from '../../text/json.ts'
import { type Label, OWN_WORDS } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { RevealToken } from '../../labels/reveal-token.ts'
import { assertLinear } from '../../text/test-linear.ts'
import { findReferences, type Path, resolve, type Scope, wholeReference } from './references.ts'

const theirs: Label = { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) }
const own = { label: OWN_WORDS, place: 'nodes[0].params' }
const bare = (value: Labelled): Json => Labelled.reveal(value, RevealToken.issue())
const mail = new Labelled(
  { items: [{ id: 7, subject: 'Hi ${secret}' }], 'to-do': null },
  { label: theirs },
)
const scope: Scope = ([root, ...steps]) => (root === 'my-mail' ? mail.at(...steps) : undefined)

test('a value that is one reference keeps its type and its labels', () => {
  const id = resolve('${my-mail.items[0].id}', scope, own)
  assert.equal(bare(id), 7)
  assert.deepEqual(id.label, theirs)
  assert.deepEqual(bare(resolve('${ my-mail.items }', scope, own)), [
    { id: 7, subject: 'Hi ${secret}' },
  ])
  assert.equal(bare(resolve('${my-mail.to-do}', scope, own)), null)
})

test('among other words a reference becomes text, and stays marked in it', () => {
  const text = resolve('Mail ${my-mail.items[0].id}: ${my-mail.to-do}', scope, own)
  assert.equal(bare(text), 'Mail 7: null')
  assert.deepEqual(
    text.tree.spans?.map(({ start, end, label }) => [start, end, label.integrity]),
    [
      [5, 6, 'external'],
      [8, 12, 'external'],
    ],
  )
  assert.equal(text.tree.label, OWN_WORDS)
  assert.equal(text.label.integrity, 'external')
})

test('references are found and resolved at any depth, each with its place', () => {
  const value = { a: [{ b: '${my-mail.items[0].id}' }, 'x'], c: 1 }
  assert.deepEqual(
    findReferences(value, 'p').map(({ place, text }) => [place, text]),
    [['p.a[0].b', '${my-mail.items[0].id}']],
  )
  const resolved = resolve(value, scope, own)
  assert.deepEqual(bare(resolved), { a: [{ b: 7 }, 'x'], c: 1 })
  assert.deepEqual(resolved.at('a', 0, 'b')?.label, theirs)
  assert.deepEqual(resolved.at('c')?.label, OWN_WORDS)
})

test('a resolved value is not searched for further references', () => {
  const text = resolve(
    '${my-mail.items[0].subject}!',
    (path) => {
      assert.notEqual(path[0], 'secret')
      return scope(path)
    },
    own,
  )
  assert.equal(bare(text), 'Hi ${secret}!')
})

test('$${x} is the text ${x}', () => {
  assert.equal(bare(resolve('$${x} and $${y', scope, own)), '${x} and ${y')
  assert.deepEqual(findReferences('$${x}', ''), [])
  assert.equal(wholeReference('$${x}'), undefined)
})

test('a missing value and a malformed reference are errors that name the place', () => {
  const missing = { name: 'CordonError', code: 'flows.missing-value' }
  assert.throws(() => resolve({ q: ['${my-mail.nope}'] }, scope, own), {
    ...missing,
    message: 'Cannot find "${my-mail.nope}", which nodes[0].params.q[0] refers to',
  })
  assert.throws(() => resolve('${my-mail.constructor}', scope, own), missing)
  for (const bad of [
    '${}',
    '${a..b}',
    '${a[x]}',
    '${a b}',
    '${',
    'x ${a',
    '${a[0}',
    '${HOME:-x}',
  ]) {
    assert.throws(() => resolve(bad, scope, own), { code: 'flows.bad-reference' }, bad)
    assert.equal(findReferences(bad, '')[0]?.path, undefined)
  }
})

test('every path that can be written is read back', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)
  const steps = fc.array(fc.oneof(name, fc.nat(99_999)), { maxLength: 6 })
  fc.assert(
    fc.property(name, steps, (root, rest) => {
      const text = `\${${root}${rest.map((one) => (typeof one === 'number' ? `[${one}]` : `.${one}`)).join('')}}`
      assert.deepEqual(wholeReference(text), [root, ...rest] satisfies Path)
    }),
  )
})

test('findReferences() runs in linear time', () => {
  const pieces = ['${', '$', '${a', '$${', '}', '${a.', '${a[0]', '{']
  assertLinear(pieces, 500_000, (text) => findReferences(text, ''))
})
