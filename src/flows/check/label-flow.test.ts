import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Label, OWN_WORDS } from '../../labels/label.ts'
import { type CheckReport, type CheckRequest, checkFlow } from './check-flow.ts'
import { fakeNodes } from '../nodes/fake-nodes.ts'
import { parseIr } from '../language/ir.ts'

type More = Partial<Omit<CheckRequest, 'ir'>>

function check(flow: unknown, more: More = {}): CheckReport {
  const predict: CheckRequest['predict'] = () => ({ kind: 'allow', rule: 'test' })
  return checkFlow({ ir: parseIr(flow), nodeIndex: fakeNodes(), predict, ...more })
}

function argument(report: CheckReport, node: string, name: string): Label {
  const step = report.steps.find((one) => one.node === node)
  return step?.args.find((one) => one.name === name)?.label ?? assert.fail(`${node}.${name}`)
}

const list = { id: 'list', type: 'mail.list' }
const send = (params: object) => ({ id: 'send', type: 'slack.send_message', params })

test('labels are followed through references, texts, models and operators', () => {
  const through = (params: object, ...between: object[]) =>
    check({ nodes: [list, ...between, { id: 'del', type: 'mail.delete', params }] })
  const label = (report: CheckReport) => argument(report, 'del', 'id')
  assert.deepEqual(label(through({ id: 'm1' })), OWN_WORDS)
  assert.equal(label(through({ id: '${list.items[0].id}' })).integrity, 'system')
  assert.equal(label(through({ id: '${list.items[0].subject}' })).integrity, 'external')
  assert.equal(label(through({ id: 'no ${list.items[0].subject}' })).integrity, 'external')
  assert.deepEqual([...label(through({ id: '${list.items[0].id}' })).origins], ['mail'])
  const model = { id: 'm', type: 'llm', params: { prompt: 'x', input: '${list.items[0].id}' } }
  assert.equal(label(through({ id: '${m.response}' }, model)).integrity, 'system')
  const newest = { id: 'n', type: 'argmax', params: { items: '${list.items}', by: 'received' } }
  assert.equal(label(through({ id: '${n.result.id}' }, newest)).integrity, 'system')
  const loudest = { ...newest, params: { items: '${list.items}', by: 'subject' } }
  assert.deepEqual(label(through({ id: '${n.result.id}' }, loudest)).bound, {
    kind: 'member',
    of: 'mail',
  })
})

// Regression 11
test('typed extraction bounds what a value can say, and trusts it no more', () => {
  const schema = {
    properties: { yes: { type: 'boolean' }, one: { enum: ['a', 'b'] }, to: { type: 'string' } },
  }
  const extract = (schema: unknown) => ({
    id: 'x',
    type: 'extract',
    params: { input: '${list.result}', schema },
  })
  const field = (name: string, given: unknown = schema, more: More = {}) => {
    const del = { id: 'del', type: 'mail.delete', params: { id: `\${x.${name}}` } }
    return argument(check({ nodes: [list, extract(given), del] }, more), 'del', 'id')
  }
  assert.deepEqual(field('yes').bound, { kind: 'bool' })
  assert.deepEqual(field('one').bound, { kind: 'enum', size: 2 })
  assert.equal(field('to').bound, undefined)
  for (const name of ['yes', 'one', 'to']) assert.equal(field(name).integrity, 'external')
  const chosen = { properties: { one: { enum: ['${list.items[0].subject}'] } } }
  assert.equal(field('one', chosen).bound, undefined)
  assert.equal(field('one', schema, { plan: 'external' }).bound, undefined)
})

test('guards are counted as bits, and are external where external data decides', () => {
  const free = { id: 'free', type: 'calendar.is_free', params: { day: 'monday' } }
  const event = { id: 'e', type: 'calendar.create_event', params: { title: 'x', day: 'monday' } }
  const control = (flow: unknown, node: string) =>
    check(flow).steps.find((one) => one.node === node)?.control
  const guarded = { nodes: [free, { ...event, when: '${free.free}' }, { ...event, id: 'after' }] }
  const theirs = { level: 'internal', origins: ['calendar'] }
  assert.deepEqual(control(guarded, 'e'), { integrity: 'external', bits: 1, ...theirs })
  assert.deepEqual(control(guarded, 'after'), { integrity: 'user', bits: 1 })
  const own = {
    nodes: [free, { ...event, when: '${sure}' }],
    inputs: { sure: { type: 'boolean' } },
  }
  assert.deepEqual(control(own, 'e'), { integrity: 'user', bits: 0 })
  const failing = { nodes: [free, event], edges: [{ from: 'free', to: 'e', action: 'error' }] }
  assert.deepEqual(control(failing, 'e'), { integrity: 'external', bits: 1, ...theirs })
  const either = {
    nodes: [free, { id: 'h', type: 'format', params: { template: 'x' } }, event],
    edges: [
      { from: 'free', to: 'h', action: 'error' },
      { from: 'free', to: 'h', action: 'timeout' },
      { from: 'h', to: 'e' },
    ],
  }
  assert.deepEqual(control(either, 'e'), { integrity: 'external', bits: 2, ...theirs })
})

test('a list that others filled decides about changes in its loop, and not about reads', () => {
  const each = (items: string) => ({ items, as: 'one', max: 30 })
  const loop = (type: string, items: string) => {
    const node = { id: 'each', type, params: { id: 'm1' }, forEach: each(items) }
    return check({ nodes: [list, node] }).steps.find((one) => one.node === 'each')?.control
  }
  const theirs = loop('mail.delete', '${list.items}')
  assert.deepEqual([theirs?.integrity, theirs?.mostTimes], ['external', 30])
  assert.equal(loop('mail.read', '${list.items}')?.integrity ?? 'user', 'user')
})

test('a loop brings the labels of later steps to earlier ones, and its steps are uncertain', () => {
  const nodes = [
    { id: 'start', type: 'format', params: { template: 'hello' } },
    send({ channel: '#', message: '${text}' }),
    { id: 'c', type: 'compose', params: { instruction: 'x', input: '${list.result}' } },
    list,
  ]
  const edges = [
    { from: 'start', to: 'send' },
    { from: 'send', to: 'list' },
    { from: 'list', to: 'c' },
    { from: 'c', to: 'send', max: 2 },
  ]
  const mappings = { start: { output_mappings: { result: 'text' } } }
  const predict: CheckRequest['predict'] = ({ args }) =>
    args.some(({ label }) => label.integrity === 'external')
      ? { kind: 'ask', rule: 'test', reason: 'r', offers: [] }
      : { kind: 'allow', rule: 'test' }
  const report = check({ nodes, edges, mappings }, { predict })
  assert.equal(argument(report, 'send', 'message').integrity, 'external')
  const asked = report.steps.filter(({ verdict }) => verdict.kind === 'ask')
  assert.deepEqual(
    asked.map(({ node, isCertain }) => [node, isCertain]),
    [['send', false]],
  )
})

test('standard input is labelled as external', () => {
  const flow = {
    nodes: [send({ channel: '#', message: '${text}' })],
    inputs: { text: { stdin: true } },
  }
  assert.equal(argument(check(flow), 'send', 'message').integrity, 'external')
})
