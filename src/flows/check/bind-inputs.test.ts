import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CheckReport, checkFlow } from './check-flow.ts'
import type { JsonObject } from '../../text/json.ts'
import { fakeNodes, TOOLS } from '../nodes/fake-nodes.ts'
import { parseIr } from '../language/ir.ts'
import type { NodeIndex } from '../nodes/node-index.ts'

function check(
  flow: unknown,
  { nodeIndex = fakeNodes() }: { readonly nodeIndex?: NodeIndex } = {},
): CheckReport {
  return checkFlow({
    ir: parseIr(flow),
    nodeIndex,
    predict: () => ({ kind: 'allow', rule: 'test' }),
  })
}

const list = { id: 'list', type: 'mail.list' }
const send = (params: object) => ({ id: 'send', type: 'slack.send_message', params })

test('an input takes the only output that fits, and the mapping is reported', () => {
  const nodes = [list, { id: 'sum', type: 'summarize' }, send({ channel: '#' })]
  const report = check({ nodes })
  assert.deepEqual(
    report.findings.map(({ code, message }) => [code, message]),
    [
      ['mapping.automatic', '"sum" takes its "text" from "result" of "list"'],
      ['mapping.automatic', '"send" takes its "message" from "summary" of "sum"'],
    ],
  )
  assert.ok(report.isSound)
})

test('to whom something goes is never filled in by itself', () => {
  const report = check({ nodes: [list, { id: 'sum', type: 'summarize' }, send({ message: 'x' })] })
  assert.deepEqual(
    report.needs.map(({ input }) => input),
    ['channel'],
  )
  const nodeIndex = fakeNodes([
    ...TOOLS,
    {
      server: 'a',
      name: 'find',
      effect: 'remote-read',
      outputSchema: { properties: { mailId: { type: 'string' } } },
    },
    {
      server: 'a',
      name: 'drop',
      effect: 'write',
      inputSchema: { properties: { mail_id: { type: 'string' } }, required: ['mail_id'] },
    },
  ])
  const same = check(
    {
      nodes: [
        { id: 'f', type: 'a.find' },
        { id: 'd', type: 'a.drop' },
      ],
    },
    { nodeIndex },
  )
  assert.deepEqual(same.needs, [])
  assert.equal(same.findings[0]?.code, 'mapping.automatic')
})

test('an input that several outputs fit is not bound', () => {
  const two = {
    server: 'a',
    name: 'two',
    effect: 'remote-read',
    outputSchema: { properties: { x: { type: 'string' }, y: { type: 'string' } } },
  } as const
  const nodeIndex = fakeNodes([...TOOLS, two])
  const report = check(
    { nodes: [{ id: 't', type: 'a.two' }, send({ channel: '#' })] },
    { nodeIndex },
  )
  assert.deepEqual(
    report.needs.map(({ input }) => input),
    ['message'],
  )
})

test('an optional input is never bound to an output only because of its name', () => {
  const sly = {
    server: 'a',
    name: 'sly',
    effect: 'remote-read',
    outputSchema: { properties: { prompt: { type: 'string' }, limit: { type: 'integer' } } },
  } as const
  const nodeIndex = fakeNodes([...TOOLS, sly])
  const first = { id: 'a', type: 'a.sly' }
  const names = (report: CheckReport, node: string) =>
    report.bindings.get(node)?.map(({ name, source }) => `${name} ${source.kind}`)
  const plain = check(
    { nodes: [first, 'llm', send({ channel: '#', message: 'x' })] },
    { nodeIndex },
  )
  assert.deepEqual(names(plain, 'llm'), ['input automatic'])
  assert.deepEqual(names(plain, 'send'), ['message param', 'channel param'])
  const mappings = { send: { input_mappings: { limit: 'limit' } } }
  const said = check(
    { nodes: [first, send({ channel: '#', message: 'x' })], mappings },
    { nodeIndex },
  )
  assert.ok(names(said, 'send')?.includes('limit store'))
})

test('an input is bound to the step before it, not to an older one with the same output name', () => {
  const sort = { id: 'sort', type: 'sort', params: { by: 'received' } }
  const report = check({ nodes: [list, sort, 'first'] })
  const from = (node: string) => {
    const source = report.bindings.get(node)?.[0]?.source
    return source?.kind === 'automatic' ? source.writer : source?.kind
  }
  assert.equal(from('sort'), 'store')
  assert.deepEqual(from('first'), { node: 'sort', output: { name: 'result', type: 'array' } })
  assert.deepEqual(check({ nodes: [list, sort, 'first'], inputs: { items: {} } }).needs.length, 1)
})

test('an operator on fields takes the whole answer, and one on lines the only text in it', () => {
  const people = { type: 'array', items: { type: 'object' } }
  const graph = (properties: JsonObject) => {
    const outputSchema = { type: 'object', properties }
    return fakeNodes([{ server: 'graph', name: 'read', effect: 'remote-read', outputSchema }])
  }
  const taken = (properties: JsonObject, type: string, params: object) => {
    const nodes = [
      { id: 'read', type: 'graph.read' },
      { id: 'next', type, params },
    ]
    const report = check({ nodes }, { nodeIndex: graph(properties) })
    const source = report.bindings.get('next')?.[0]?.source
    return source?.kind === 'automatic' ? source.writer.output.name : source?.kind
  }
  const lists = { people, places: people }
  assert.equal(taken(lists, 'pick', { fields: ['people'] }), 'result')
  assert.equal(taken(lists, 'count', {}), 'needed')
  assert.equal(taken({ content: { type: 'string' } }, 'lines', {}), 'content')
  assert.equal(taken({ total: { type: 'integer' } }, 'lines', {}), 'needed')
})
