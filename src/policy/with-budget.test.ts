import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Label, OWN_WORDS } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import { RevealToken } from '../labels/reveal-token.ts'
import { choiceIn } from './with-budget.ts'

const BOOL: Label = {
  integrity: 'external',
  level: 'public',
  origins: new Set(['web']),
  bound: { kind: 'bool' },
}

const choice = (name: string, ...members: readonly string[]) => {
  const flags = members.map((one) => [one, new Labelled(true, { label: BOOL })] as const)
  const value = Labelled.object(Object.fromEntries(flags), OWN_WORDS)
  return choiceIn(name, Labelled.reveal(value, RevealToken.issue()), value.tree)
}

test('choiceIn() counts each untrusted leaf, and looks at every name on the way', () => {
  assert.deepEqual(choice('options', 'a', 'b', 'c'), { bits: 3, isExposing: false })
  assert.deepEqual(choice('options', 'a', 'isPublic'), { bits: 2, isExposing: true })
  assert.deepEqual(choice('sharing', 'a'), { bits: 1, isExposing: true })
})
