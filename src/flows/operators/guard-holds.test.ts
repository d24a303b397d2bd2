import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Label, OWN_WORDS } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { guardHolds } from './guard-holds.ts'
import type { Guard } from '../language/ir.ts'
import type { Scope } from '../language/references.ts'

const theirs: Label = { integrity: 'external', level: 'internal', origins: new Set(['calendar']) }
const answer = new Labelled({ free: true, hours: [9, 10] }, { label: theirs })
const scope: Scope = ([root, ...steps]) => (root === 'day' ? answer.at(...steps) : undefined)
const own = { label: OWN_WORDS, place: 'nodes[0].when' }
const holds = (guard: Guard) => guardHolds(guard, scope, own)

test('a guard holds or not, and is as trusted as what it looks at', () => {
  const yes = holds({ left: '${day.free}', op: 'eq', right: true })
  assert.equal(yes.answer, true)
  assert.equal(yes.label.integrity, 'external')
  assert.equal(holds({ left: '${day.hours}', op: 'contains', right: 16 }).answer, false)
  assert.equal(holds({ left: 'a', op: 'eq', right: 'a' }).label.integrity, 'user')
})

test('a missing value can be tested for, and takes the label of its parent', () => {
  const gone = holds({ left: '${day.note.author}', op: 'exists', right: false })
  assert.equal(gone.answer, true)
  assert.equal(gone.label.integrity, 'external')
  assert.equal(holds({ left: '${nothing}', op: 'exists', right: true }).answer, false)
  assert.throws(() => holds({ left: '${day.note}', op: 'eq', right: 1 }), {
    code: 'flows.missing-value',
  })
})
