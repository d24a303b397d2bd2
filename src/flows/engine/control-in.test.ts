import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Effect } from '../../kernel/effect.ts'
import type { Label } from '../../labels/label.ts'
import { BitBudget } from './bit-budget.ts'
import { controlIn } from './control-in.ts'
import type { Turn } from './run-context.ts'

const OWN: Label = { integrity: 'user', level: 'internal', origins: new Set() }
const THEIRS: Label = { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) }

/** A turn of which the check foresaw nothing: only what the run finds can make it foreign. */
function turnWith(more: Partial<Turn>, effect: Effect = 'write'): Turn {
  const planned = {
    tool: { server: 'bank', name: 'pay' },
    effect,
    control: { integrity: 'user', bits: 0 },
  }
  return { planned, round: 1, ...more } as unknown as Turn
}

test('a list that others filled decides how often a change is made, whatever was foreseen', () => {
  const loop = { label: THEIRS, times: 30 }
  const control = controlIn(turnWith({ loop }), new BitBudget())
  assert.deepEqual(control, {
    integrity: 'external',
    bits: 0,
    level: 'sensitive',
    origins: ['mail'],
    times: 30,
  })
  assert.equal(controlIn(turnWith({ loop }, 'remote-read'), new BitBudget()).integrity, 'user')
  const own = { label: OWN, times: 30 }
  assert.equal(controlIn(turnWith({ loop: own }), new BitBudget()).integrity, 'user')
})

test('a condition on the words of others decides that a step runs, whatever was foreseen', () => {
  assert.equal(controlIn(turnWith({ guard: THEIRS }), new BitBudget()).integrity, 'external')
  assert.equal(controlIn(turnWith({ guard: OWN }), new BitBudget()).integrity, 'user')
})
