/** The forecast of loops and single bits: what a run will ask is known before it starts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Control } from '../../kernel/tool-call.ts'
import { fakeNodes } from '../nodes/fake-nodes.ts'
import { parseIr } from '../language/ir.ts'
import { checkFlow } from './check-flow.ts'
import type { ForeseenCall } from './foresee.ts'

interface Foreseen {
  /** As the plan of the run holds it. */
  readonly planned: Control
  /** As the policy was asked about it. */
  readonly judged: Control
}

function foresee(flow: unknown, node: string): Foreseen {
  const judged = new Map<string, Control>()
  const predict = ({ facts, control }: ForeseenCall) => {
    judged.set(facts.id.name, control)
    return { kind: 'allow', rule: 'test' } as const
  }
  const { steps, isSound, findings } = checkFlow({
    ir: parseIr(flow),
    nodeIndex: fakeNodes(),
    predict,
  })
  assert.ok(isSound, JSON.stringify(findings))
  const step = steps.find((one) => one.node === node) ?? assert.fail(node)
  return {
    planned: step.control,
    judged: judged.get(step.facts.id.name) ?? assert.fail(node),
  }
}

const list = { id: 'list', type: 'mail.list' }
const send = (params: object = {}, more: object = {}) => ({
  id: 'send',
  type: 'slack.send_message',
  params: { channel: '#a', message: 'x', ...params },
  ...more,
})

test('a loop over what others listed is external, and its most rounds are known', () => {
  const forEach = { items: '${list.items}', max: 30 }
  const { planned } = foresee({ nodes: [list, send({}, { forEach })] }, 'send')
  assert.deepEqual(
    [planned.integrity, planned.bits, planned.mostTimes, planned.origins],
    ['external', 5, 30, ['mail']],
  )
  const twice = { ...send({}, { forEach }), id: 'again' }
  const after = { ...send(), id: 'after' }
  const later = foresee({ nodes: [list, send({}, { forEach }), twice, after] }, 'after').planned
  assert.deepEqual([later.integrity, later.bits, later.mostTimes], ['user', 5, undefined])
  const own = foresee({ nodes: [send({}, { forEach: { items: [1, 2] } })] }, 'send')
  assert.deepEqual(own.planned, { integrity: 'user', bits: 0 })
  const read = { id: 'free', type: 'calendar.is_free', params: { day: 'monday' }, forEach }
  const reading = foresee({ nodes: [list, read] }, 'free').planned
  assert.deepEqual([reading.integrity, reading.bits, reading.mostTimes], ['user', 0, 30])
})

test('every step of a cycle that a failure repeats is known to run again', () => {
  const free = { id: 'free', type: 'calendar.is_free', params: { day: 'monday' } }
  const first = { id: 'first', type: 'format', params: { template: 'x' } }
  const flow = {
    nodes: [first, send(), free],
    edges: [
      { from: 'first', to: 'send' },
      { from: 'send', to: 'free' },
      { from: 'free', to: 'first', action: 'error', max: 3 },
    ],
  }
  assert.equal(foresee(flow, 'send').planned.mostTimes, 4)
  const planned = {
    ...flow,
    edges: [...flow.edges.slice(0, 2), { from: 'free', to: 'first', max: 3 }],
  }
  assert.equal(foresee(planned, 'send').planned.mostTimes, undefined)
})

test('bits of arguments are counted for the forecast, each value once, and are no part of the plan', () => {
  const names = ['a', 'b', 'c']
  const properties = Object.fromEntries(names.map((name) => [name, { enum: ['x', 'y', 'z', 'w'] }]))
  const params = {
    instruction: 'x',
    input: '${list.result}',
    schema: { type: 'object', properties },
  }
  const look = { id: 'look', type: 'extract', params }
  const bits = (channel: string, more: object = {}) =>
    foresee({ nodes: [list, look, send({ channel }, more)] }, 'send')
  assert.equal(bits('${look.a}').judged.bits, 2)
  assert.equal(bits('${look.a} ${look.b} ${look.c}').judged.bits, 6)
  assert.equal(bits('${look.a} ${look.a}').judged.bits, 2)
  assert.equal(bits('${look.a}').planned.bits, 0)
  const when = { left: '${look.b}', op: 'eq', right: 'x' }
  assert.equal(bits('${look.a}', { when }).judged.bits, 3)
})
