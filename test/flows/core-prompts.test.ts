/** The checker, with the real policy, predicts which approvals a flow will ask for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkFlow } from '../../src/flows/check/check-flow.ts'
import { fakeNodes } from '../../src/flows/nodes/fake-nodes.ts'
import { parseIr } from '../../src/flows/language/ir.ts'
import type { Integrity } from '../../src/labels/label.ts'
import { decideFor } from './core-decide.ts'

/** Each predicted question, as `node rule`. */
function prompts(nodes: readonly object[], plan: Integrity = 'user'): readonly string[] {
  const report = checkFlow({
    ir: parseIr({ nodes }),
    nodeIndex: fakeNodes(),
    predict: decideFor,
    plan,
  })
  assert.ok(report.isSound, JSON.stringify(report.findings))
  const asked = report.steps.filter(({ verdict }) => verdict.kind === 'ask')
  return asked.map(({ node, verdict }) => `${node} ${verdict.rule}`)
}

const list = { id: 'list', type: 'mail.list' }
const event = (params: object) => ({
  id: 'event',
  type: 'calendar.create_event',
  params: { title: 'Call', day: 'monday', ...params },
})

test('a flow that only reads asks nothing', () => {
  assert.deepEqual(prompts([list, { id: 'sum', type: 'summarize' }]), [])
})

test('a confidential text that goes to another server is asked about', () => {
  const send = { id: 'send', type: 'slack.send_message', params: { channel: '#me' } }
  assert.deepEqual(prompts([list, { id: 'sum', type: 'summarize' }, send]), ['send flow'])
})

test('a recipient that comes from external data is asked about', () => {
  const search = { id: 's', type: 'github.search_code', params: { query: 'x' } }
  const send = {
    id: 'send',
    type: 'slack.send_message',
    params: { message: 'hi', channel: '${s.owner}' },
  }
  assert.deepEqual(prompts([search, send]), ['send target.external'])
})

test('a destructive step is asked about, whatever chose it', () => {
  const newest = { id: 'n', type: 'argmax', params: { items: '${list.items}', by: 'received' } }
  const del = { id: 'del', type: 'mail.delete', params: { id: '${n.result.id}' } }
  assert.deepEqual(prompts([list, newest, del]), ['del destructive'])
})

test('a guard on words of others asks nothing where every word of the branch is the owner’s', () => {
  const free = { id: 'free', type: 'calendar.is_free', params: { day: 'monday' } }
  const when = '${free.free}'
  assert.deepEqual(prompts([free, { ...event({}), when }]), [])
  const search = { id: 's', type: 'github.search_code', params: { query: 'x' } }
  const told = { ...event({ title: '${s.title}' }), when }
  assert.deepEqual(prompts([free, search, told]), ['event plan.external'])
})

test('a flow that others wrote asks for every change', () => {
  assert.deepEqual(prompts([event({})], 'external'), ['event target.external'])
  assert.deepEqual(prompts([event({})], 'user'), [])
})

test('each item of a list is a call of its own, and its target is judged as one', () => {
  const forEach = { items: '${list.items}' }
  const each = { ...event({ day: '${item.subject}' }), forEach }
  assert.deepEqual(prompts([list, each]), ['event flow'])
})
