import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PlannedValue, RoundStep } from './plan-port.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { mergeRounds } from './merge-rounds.ts'

const server = parseServerId('files')

function step(name: string, value: PlannedValue, more: Partial<RoundStep> = {}): RoundStep {
  return { tool: { server, name }, args: { x: value }, outcome: 'worked', ...more }
}

const fixed = { kind: 'literal', value: 'a' } as const

suite('the rounds of a request as one plan', () => {
  test('a result by its handle is the result of its step, wherever it stands', () => {
    const found = { kind: 'handle', name: 'result3', path: ['items', 0] } as const
    const merged = mergeRounds([
      {
        steps: [
          step('list', fixed, { result: 'result3' }),
          step('count', { kind: 'step', step: 0 }),
        ],
      },
      {
        steps: [
          step('read', { kind: 'list', items: [found, fixed] }),
          step('write', { kind: 'step', step: 0 }),
        ],
      },
    ])
    assert.deepEqual(
      merged?.steps.map(({ tool, args }) => [tool.name, args['x']]),
      [
        ['list', fixed],
        ['count', { kind: 'step', step: 0 }],
        ['read', { kind: 'list', items: [{ kind: 'step', step: 0, path: ['items', 0] }, fixed] }],
        ['write', { kind: 'step', step: 2 }],
      ],
    )
  })

  test('a step that did not work is left out, and with a step that needs it there is no plan', () => {
    const failed = step('list', fixed, { outcome: 'failed' })
    const merged = mergeRounds([
      { steps: [step('look', fixed), failed] },
      { steps: [step('read', fixed)] },
    ])
    assert.deepEqual(
      merged?.steps.map(({ tool }) => tool.name),
      ['look', 'read'],
    )
    assert.equal(
      mergeRounds([{ steps: [failed, step('read', { kind: 'step', step: 0 })] }]),
      undefined,
    )
    assert.equal(mergeRounds([{ steps: [failed] }]), undefined)
  })

  test('a result of an earlier request stays what it is', () => {
    const earlier = { kind: 'handle', name: 'result1' } as const
    assert.deepEqual(
      mergeRounds([{ steps: [step('read', earlier)] }])?.steps[0]?.args['x'],
      earlier,
    )
  })
})
