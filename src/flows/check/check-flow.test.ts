import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CheckReport, type CheckRequest, checkFlow } from './check-flow.ts'
import { fakeNodes, TOOLS } from '../nodes/fake-nodes.ts'
import { parseIr } from '../language/ir.ts'

type More = Partial<Omit<CheckRequest, 'ir'>>

function check(flow: unknown, more: More = {}): CheckReport {
  const predict: CheckRequest['predict'] = () => ({ kind: 'allow', rule: 'test' })
  return checkFlow({ ir: parseIr(flow), nodeIndex: fakeNodes(), predict, ...more })
}

/** `code place` of each. */
function told(flow: unknown, more: More = {}): readonly string[] {
  return check(flow, more).findings.map(({ code, place }) => `${code} ${place}`)
}

const list = { id: 'list', type: 'mail.list' }
const send = (params: object) => ({ id: 'send', type: 'slack.send_message', params })

test('a sound flow has nothing to find, and says where everything comes from', () => {
  const report = check({
    nodes: [list, send({ channel: '#x', message: 'See ${list.items[0].id}' })],
  })
  assert.deepEqual(report.findings, [])
  assert.ok(report.isSound)
  assert.deepEqual(
    report.bindings.get('send')?.map(({ name, source }) => [name, source.kind]),
    [
      ['message', 'param'],
      ['channel', 'param'],
    ],
  )
})

test('nodes that are not there or may not be used are errors', () => {
  assert.deepEqual(told({ nodes: [] }), ['flow.empty nodes'])
  assert.deepEqual(told({ nodes: ['mcp-mail-lst'] }), ['node.unknown nodes[0].type'])
  assert.match(check({ nodes: ['mcp-mail-lst'] }).findings[0]?.hint ?? '', /"mcp-mail-list"/)
  assert.deepEqual(told({ nodes: [{ id: 'm', type: 'mcp-mail' }] }), [
    'node.ambiguous nodes[0].type',
  ])
  for (const blocked of ['quarantined', 'disabled', 'collides', 'unknown'] as const) {
    const nodeIndex = fakeNodes(TOOLS.map((tool) => ({ ...tool, blocked })))
    assert.deepEqual(told({ nodes: [list] }, { nodeIndex }), [`node.${blocked} nodes[0].type`])
  }
})

test('a tool that changed since the flow was made is an error', () => {
  const pin = (mcp_metadata: object) => told({ nodes: [{ ...list, mcp_metadata }] })
  const is = { server_id: 'mail', tool_name: 'list' }
  assert.deepEqual(pin({ ...is, manifest_hash: 'sha256:hash-of-mail.list' }), [])
  assert.deepEqual(pin({ ...is, manifest_hash: 'hash-of-mail.list' }), [])
  assert.deepEqual(pin({ ...is, manifest_hash: 'sha256:other' }), [
    'pin.changed nodes[0].mcp_metadata.manifest_hash',
  ])
  assert.deepEqual(pin({ ...is, tool_name: 'delete' }), ['pin.other-tool nodes[0].mcp_metadata'])
  assert.deepEqual(pin({ ...is, server_id: 'post' }), [
    'pin.other-server nodes[0].mcp_metadata.server_id',
  ])
})

test('edges lead from node to node, with actions that exist, and round only with a bound', () => {
  const nodes = [list, { id: 'x', type: 'format', params: { template: 'a' } }]
  const edges = (...all: object[]) => told({ nodes, edges: all })
  assert.deepEqual(edges({ from: 'list', to: 'x', action: 'rate_limited' }), [])
  assert.deepEqual(edges({ from: 'list', to: 'y' }), ['edge.unknown edges[0].to'])
  assert.deepEqual(edges({ from: 'list', to: 'x', action: 'rate_limted' }), [
    'edge.action edges[0].action',
  ])
  assert.deepEqual(edges({ from: 'x', to: 'list', action: 'rate_limited' }), [
    'edge.action edges[0].action',
  ])
  const round = [
    { from: 'list', to: 'x' },
    { from: 'x', to: 'list' },
  ]
  assert.deepEqual(edges(...round), ['edge.cycle edges[1]'])
  assert.deepEqual(edges(round[0] ?? {}, { ...round[1], max: 3 }), [])
  assert.deepEqual(edges({ ...round[0], max: 3 }, round[1] ?? {}), ['edge.cycle edges[1]'])
  assert.deepEqual(edges({ from: 'list', to: 'x', max: 3 }), ['edge.max edges[0].max'])
})

test('references name something that is there by then', () => {
  const format = (template: string, more = {}) => ({
    id: 'f',
    type: 'format',
    params: { template },
    ...more,
  })
  const at = 'nodes[1].params.template'
  const refer = (template: string, more = {}) => told({ nodes: [list, format(template)], ...more })
  assert.deepEqual(refer('${list.items[0].x} ${items} ${list.result} $${nothing}'), [])
  assert.deepEqual(refer('${lst.items}'), [`reference.unknown ${at}`])
  assert.deepEqual(refer('${list.itms}'), [`reference.output ${at}`])
  assert.deepEqual(refer('${list[0]}'), [`reference.output ${at}`])
  assert.deepEqual(refer('${f.result}'), [`reference.later ${at}`])
  assert.deepEqual(refer('${list.items', {}), [`reference.bad ${at}`])
  assert.deepEqual(refer('${list.items}', { edges: [] }), [`reference.later ${at}`])
  assert.deepEqual(refer('${who}', { inputs: { who: {} } }), [])
  const maybe = { nodes: [list, format('${who}')], inputs: { who: { required: false } } }
  assert.deepEqual(told(maybe, { given: new Set() }), [`reference.perhaps ${at}`])
  assert.deepEqual(refer('${item}'), [`reference.unknown ${at}`])
  const each = format('${item.id}', { forEach: { items: '${list.items}' } })
  assert.deepEqual(told({ nodes: [list, each] }), [])
  const outputs = { o: { source: '${list.nothing}' }, total: {} }
  assert.deepEqual(told({ nodes: [list], outputs }), ['reference.output outputs.o'])
  const open = { id: 's', type: 'github.search_code', params: { query: 'x' } }
  assert.deepEqual(told({ nodes: [open, format('${s.any_field[3].it_likes}')] }), [])
})

test('a reference to a step that may have been passed over is a warning', () => {
  const free = { id: 'free', type: 'calendar.is_free', params: { day: 'monday' } }
  const event = {
    id: 'event',
    type: 'calendar.create_event',
    params: { title: 'x', day: 'monday' },
  }
  const say = { id: 'say', type: 'format', params: { template: '${event.result}' } }
  const when = '${free.free}'
  const warning = ['reference.perhaps nodes[2].params.template']
  assert.deepEqual(told({ nodes: [free, { ...event, when }, say] }), warning)
  assert.deepEqual(told({ nodes: [free, { ...event, when }, { ...say, when }] }), [])
  const edges = [
    { from: 'free', to: 'event', action: 'error' },
    { from: 'free', to: 'say' },
    { from: 'event', to: 'say' },
  ]
  assert.deepEqual(told({ nodes: [free, event, say], edges }), warning)
})

test('types that can never fit are errors, and those that may are not', () => {
  const type = (params: object) =>
    told({ nodes: [list, send({ channel: '#', message: 'm', ...params })] })
  assert.deepEqual(type({ limit: 3 }), [])
  assert.deepEqual(type({ limit: null }), [])
  assert.deepEqual(type({ limit: '${list.total}' }), [])
  assert.deepEqual(type({ limit: '3' }), ['type.mismatch nodes[1].params.limit'])
  assert.deepEqual(type({ limit: '${list.items}' }), ['type.mismatch nodes[1].params.limit'])
  assert.deepEqual(type({ limit: 'x ${list.total}' }), ['type.mismatch nodes[1].params.limit'])
  assert.deepEqual(type({ message: '${list.total}' }), ['type.mismatch nodes[1].params.message'])
  assert.deepEqual(type({ message: 'All ${list.total}' }), [])
  const first = { id: 'f', type: 'first', params: { items: '${list.total}' } }
  assert.deepEqual(told({ nodes: [list, first] }), ['type.mismatch nodes[1].params.items'])
  assert.deepEqual(type({ chanel: 'x' }), ['param.unknown nodes[1].params.chanel'])
})

test('a missing input is listed, and an error once the given inputs are known', () => {
  const flow = { nodes: [{ id: 's', type: 'github.search_code' }] }
  const report = check(flow)
  assert.deepEqual(report.needs, [{ name: 'query', type: 'string', node: 's', input: 'query' }])
  assert.ok(report.isSound)
  assert.deepEqual(told(flow, { given: new Set() }), ['input.missing nodes[0]'])
  assert.deepEqual(told(flow, { given: new Set(['query']) }), [])
  const inputs = { query: { type: 'string' }, more: { default: 1 }, perhaps: { required: false } }
  assert.deepEqual(told({ ...flow, inputs }), [])
  assert.deepEqual(told({ ...flow, inputs }, { given: new Set() }), ['input.missing nodes[0]'])
  const unused = { ...inputs, other: {} }
  assert.deepEqual(told({ ...flow, inputs: unused }, { given: new Set(['query']) }), [
    'input.missing inputs.other',
  ])
  const optional = { query: { required: false } }
  assert.deepEqual(told({ ...flow, inputs: optional }), [])
  assert.deepEqual(told({ ...flow, inputs: optional }, { given: new Set() }), [
    'input.missing nodes[0]',
  ])
})

test('mappings are read as natural key to key of the store', () => {
  const mappings = { send: { input_mappings: { message: 'news', channel: 'team' } } }
  const report = check({ nodes: [send({})], mappings }, { given: new Set(['news', 'team']) })
  assert.deepEqual(report.findings, [])
  const odd = {
    nobody: {},
    send: { input_mappings: { mesage: 'x' }, output_mappings: { message_id: 'stdin', what: 'w' } },
  }
  assert.deepEqual(told({ nodes: [send({ channel: '#', message: 'm' })], mappings: odd }), [
    'mapping.node mappings.nobody',
    'mapping.key mappings.send.input_mappings.mesage',
    'mapping.key mappings.send.output_mappings.what',
    'name.reserved mappings.send',
  ])
})

test('a key that two steps write is a warning for whoever reads it', () => {
  const text = (id: string) => ({ id, type: 'summarize', params: { text: id } })
  const read = { id: 'r', type: 'format', params: { template: 'x' } }
  const mappings = { send: { input_mappings: { message: 'summary' } } }
  const nodes = [text('a'), text('b'), send({ channel: '#' }), read]
  assert.deepEqual(told({ nodes, mappings }), ['key.overwritten nodes[2]'])
  const one = [text('a'), send({ channel: '#' })]
  assert.deepEqual(told({ nodes: one, mappings }), [])
  const given = new Set(['summary'])
  assert.deepEqual(told({ nodes: one, mappings }, { given }), ['key.overwritten nodes[1]'])
})

test('names that mean two things, or are ours, are errors', () => {
  const inputs = {
    list: {},
    __x: {},
    a: { stdin: true },
    b: { stdin: true },
    c: { default: '${a}' },
  }
  assert.deepEqual(told({ nodes: [list], inputs }).toSorted(), [
    'input.stdin inputs.b.stdin',
    'name.reserved inputs.__x',
    'name.twice inputs.list',
    'reference.bad inputs.c.default',
  ])
})

// Regression 20
test('retries on a write and a cache on an impure node are errors', () => {
  const execution = { max_retries: 2 }
  assert.deepEqual(told({ nodes: [{ ...list, execution }] }), [])
  const remove = { id: 'remove', type: 'mail.delete', params: { id: 'm1' }, execution }
  assert.deepEqual(told({ nodes: [remove] }), ['execution.impure nodes[0].execution.max_retries'])
  assert.deepEqual(told({ nodes: [{ ...list, execution: { use_cache: true } }] }), [
    'execution.impure nodes[0].execution.use_cache',
  ])
  const pure = {
    id: 'f',
    type: 'format',
    params: { template: 'x' },
    execution: { use_cache: true },
  }
  assert.deepEqual(told({ nodes: [pure] }), [])
})

test('a step that the policy would deny is an error, one that it would ask about is listed', () => {
  const nodes = [list, send({ channel: '#', message: '${list.result}' })]
  const deny = { kind: 'deny', rule: 'secret', reason: 'secrets never leave' } as const
  const types = told({ nodes }, { predict: () => deny })
  assert.ok(types.includes('policy.denied nodes[1]'))
})

test('a flow may say more of itself than is so, and never less', () => {
  const nodes = [list, send({ channel: '#', message: 'x ${list.items[0].id}' })]
  const claim = (safety: object) => told({ nodes, metadata: { safety } })
  assert.deepEqual(check({ nodes }).safety, {
    effect: 'write',
    level: 'sensitive',
    sinks: ['mail.list', 'slack.send_message'],
  })
  assert.deepEqual(claim({ effect: 'destructive', level: 'regulated' }), [])
  assert.deepEqual(claim({ effect: 'remote-read' }), ['safety.claims-less metadata.safety.effect'])
  assert.deepEqual(claim({ level: 'internal' }), ['safety.claims-less metadata.safety.level'])
  assert.deepEqual(claim({ sinks: ['mail.list'] }), ['safety.claims-less metadata.safety.sinks'])
})

test('a step that gives nothing fitting to the next is an error, not a value to ask for', () => {
  const count = { id: 'count', type: 'count', params: { items: [1] } }
  const report = check({ nodes: [count, { id: 'pick', type: 'pick', params: { fields: ['a'] } }] })
  assert.deepEqual(
    report.findings.map(({ code, message, hint }) => [code, message, hint]),
    [
      [
        'type.mismatch',
        '"pick" takes object|array, and "count" gives "result" (integer)',
        'Put a step in between that gives such a value, or give "items" yourself',
      ],
    ],
  )
  assert.deepEqual(report.needs, [])
  const first = check({ nodes: [{ id: 'pick', type: 'pick', params: { fields: ['a'] } }] })
  assert.deepEqual(
    first.needs.map(({ name }) => name),
    ['items'],
  )
})

test('a loop over something that is no list is an error', () => {
  const count = { id: 'count', type: 'count', params: { items: [1] } }
  const each = (items: unknown) => ({
    id: 'say',
    type: 'format',
    params: { template: '${n}' },
    forEach: { items, as: 'n' },
  })
  for (const items of ['${count.result}', 'some words'])
    assert.deepEqual(told({ nodes: [count, each(items)] }), [
      'type.mismatch nodes[1].forEach.items',
    ])
  assert.deepEqual(
    told({ nodes: [count, each('${list}')], inputs: { list: { type: 'array' } } }),
    [],
  )
})
