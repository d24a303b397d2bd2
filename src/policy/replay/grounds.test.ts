import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownCall } from '../../kernel/own-call.ts'
import { OWNER } from '../../kernel/principal.ts'
import { factsOf } from '../../kernel/test-facts.ts'
import type { Control } from '../../kernel/tool-call.ts'
import type { Bound, Label } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { readGrounds, spellGrounds } from './grounds.ts'

const CONTROLS: readonly Control[] = [
  { integrity: 'user', bits: 0 },
  { integrity: 'external', bits: 4, times: 30 },
  { integrity: 'user', bits: 0, level: 'sensitive', origins: ['mail', 'a:b|c+d'] },
  { integrity: 'external', bits: 5, level: 'regulated', origins: ['mail'], times: 2 },
]

const BOUNDED: readonly Bound[] = [
  { kind: 'bool' },
  { kind: 'enum' },
  { kind: 'enum', size: 17 },
  { kind: 'member', of: 'mail' },
  { kind: 'member', of: 'a@b#c', size: 1 },
]

const facts = factsOf({ roles: new Map([['to', 'target']]) })

test('what decided about a call and what its arguments can say is read as it was written', () => {
  for (const control of CONTROLS) {
    for (const bound of BOUNDED) {
      const label: Label = {
        integrity: 'external',
        level: 'internal',
        origins: new Set(['x']),
        bound,
      }
      const call = ownCall(OWNER, facts.id, {})
      const args = { to: new Labelled('', { label }) }
      const text = spellGrounds({ ...call, args, task: { ...call.task, control } }, facts)
      const read = readGrounds(text, facts.id, 'write')
      assert.deepEqual(read?.task.control, control, text)
      assert.deepEqual(read.args[0]?.label, label, text)
    }
  }
})

test('a plan that was to be asked about is read as such, for its changes and for a read', () => {
  const call = ownCall(OWNER, facts.id, {})
  for (const asks of [
    {},
    { asksForWrites: true },
    { asksForRead: true },
    { asksForWrites: true, asksForRead: true },
  ] as const) {
    const text = spellGrounds({ ...call, task: { ...call.task, ...asks } }, facts)
    const { asksForWrites, asksForRead } = readGrounds(text, facts.id, 'write')?.task ?? {}
    assert.deepEqual(
      [asksForWrites, asksForRead],
      ['asksForWrites' in asks || undefined, 'asksForRead' in asks || undefined],
      text,
    )
  }
})
