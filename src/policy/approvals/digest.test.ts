import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Asked } from '../../kernel/approval.ts'
import { Labelled } from '../../labels/labelled.ts'
import { OWNER } from '../../kernel/principal.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { factsOf } from '../../kernel/test-facts.ts'
import { type BoundCall, bindCall, digestOf, keyOf, type Once } from './digest.ts'

const text = fc.string({ minLength: 1 })
const bound: fc.Arbitrary<BoundCall> = fc.record({
  taskId: text,
  planHash: text,
  stepId: text,
  server: text,
  serverPin: text,
  tool: text,
  defHash: text,
  args: fc.dictionary(text, fc.oneof(text, fc.integer()), { minKeys: 1 }),
  labelsDigest: text,
  sink: text,
})
const once: fc.Arbitrary<Once> = fc.record({ nonce: text, exp: fc.nat() })

/** Changes one byte of a text, or adds one to a number. */
function change<T>(value: T, at: number): T {
  if (typeof value === 'number') return (value + 1) as T
  if (typeof value !== 'string') return value
  const place = at % value.length
  const other = value[place] === 'x' ? 'y' : 'x'
  return (value.slice(0, place) + other + value.slice(place + 1)) as T
}

test('a digest differs for any change of one byte in any field', () => {
  fc.assert(
    fc.property(bound, once, fc.nat(), fc.nat(), (call, one, which, at) => {
      const before = digestOf(call, one)
      for (const name of Object.keys(call) as (keyof BoundCall)[]) {
        if (name === 'args') continue
        const changed = { ...call, [name]: change(call[name], at) }
        assert.notEqual(digestOf(changed, one), before, name)
        assert.notEqual(keyOf(changed), keyOf(call), name)
      }
      for (const name of ['nonce', 'exp'] as const) {
        assert.notEqual(digestOf(call, { ...one, [name]: change(one[name], at) }), before, name)
      }
      const names = Object.keys(call.args)
      const name = names[which % names.length] ?? ''
      const args = { ...call.args, [name]: change(call.args[name] ?? '', at) }
      assert.notEqual(digestOf({ ...call, args }, one), before)
      const { [name]: moved = null, ...rest } = call.args
      const renamed = { ...rest, [`${name}x`]: moved }
      assert.notEqual(digestOf({ ...call, args: renamed }, one), before)
    }),
  )
})

test('no two neighbouring fields can be told one for the other', () => {
  fc.assert(
    fc.property(bound, once, (call, one) => {
      const moved = {
        ...call,
        taskId: `${call.taskId}${call.stepId[0]}`,
        stepId: call.stepId.slice(1),
      }
      assert.notEqual(digestOf(moved, one), digestOf(call, one))
      assert.notEqual(keyOf(call), digestOf(call, one))
    }),
  )
})

const tool = { server: parseServerId('mail'), name: 'send' }

function asked(origin: string, planHash?: string): Asked {
  const label = { integrity: 'external', level: 'internal', origins: new Set([origin]) } as const
  return {
    request: {
      callId: 'c1',
      principal: OWNER,
      tool,
      args: { to: new Labelled('eve@example.com', { label }) },
      task: {
        id: 't1',
        step: '2',
        plan: 'user',
        ...(planHash !== undefined && { planHash }),
        control: { integrity: 'user', bits: 0 },
        callsBefore: 0,
      },
    },
    facts: factsOf({ id: tool, hash: 'h1', serverPin: 'p1' }),
    verdict: { kind: 'ask', rule: 'target.external', reason: 'x', args: ['to'], offers: [] },
    args: { to: 'eve@example.com' },
  }
}

test('bindCall() takes the task, the step, both pins, the arguments and their labels', () => {
  const { labelsDigest, ...rest } = bindCall(asked('notes', 'plan'))
  assert.deepEqual(rest, {
    taskId: 't1',
    planHash: 'plan',
    stepId: '2',
    server: 'mail',
    serverPin: 'p1',
    tool: 'send',
    defHash: 'h1',
    args: { to: 'eve@example.com' },
    sink: 'mail',
  })
  assert.match(labelsDigest, /^[0-9a-f]{64}$/)
  assert.equal(bindCall(asked('notes')).planHash, null)
})

test('the same value with another label is another call', () => {
  assert.equal(keyOf(bindCall(asked('notes'))), keyOf(bindCall(asked('notes'))))
  assert.notEqual(keyOf(bindCall(asked('notes'))), keyOf(bindCall(asked('web'))))
})
