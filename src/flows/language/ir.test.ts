import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../../kernel/error.ts'
import { nodeTitle, parseIr } from './ir.ts'

function refusal(input: unknown): CordonError {
  try {
    parseIr(input)
  } catch (error) {
    assert.ok(error instanceof CordonError)
    return error
  }
  return assert.fail('it was read')
}

test('a flow is read into one form, and read again it stays the same', () => {
  const ir = parseIr({
    nodes: [
      'llm',
      { id: 'b', registry_id: 'mcp-mail-list', batch: { items: '${llm.response}' } },
      { id: 'c', when: '${llm.ok}' },
      { id: 'd', type: 'mcp_wrapper', mcp_metadata: { server_id: 'mail', tool_name: 'list' } },
      { id: 'mcp-mail-list', type: 'mcp_wrapper' },
    ],
  })
  assert.equal(ir.ir_version, '1.0.0')
  assert.deepEqual(ir.nodes[0], { id: 'llm', type: 'llm', params: {} })
  assert.deepEqual(ir.nodes[1], {
    id: 'b',
    type: 'mcp-mail-list',
    params: {},
    forEach: {
      as: 'item',
      parallel: false,
      max_concurrent: 10,
      max: 20,
      items: '${llm.response}',
    },
  })
  assert.deepEqual(ir.nodes[2]?.when, { left: '${llm.ok}', op: 'eq', right: true })
  assert.equal(ir.nodes[3]?.type, 'mcp_wrapper')
  assert.equal(ir.nodes[4]?.type, 'mcp-mail-list')
  assert.deepEqual(ir.edges[1], { from: 'b', to: 'c' })
  assert.deepEqual(parseIr(ir), ir)
})

test('without edges the nodes run in order; with an empty list of edges, each on its own', () => {
  assert.deepEqual(parseIr({ nodes: ['a', 'b'] }).edges, [{ from: 'a', to: 'b' }])
  assert.deepEqual(parseIr({ nodes: ['a', 'b'], edges: [] }).edges, [])
})

test('fields it does not know are kept, at every level', () => {
  const written = {
    color: 'red',
    metadata: { mood: 1 },
    nodes: [{ id: 'a', note: 'x', execution: { nice: 5 } }],
    edges: [],
  }
  const kept = JSON.parse(JSON.stringify(parseIr(written))) as typeof written
  assert.equal(kept.color, 'red')
  assert.equal(kept.metadata.mood, 1)
  assert.equal(kept.nodes[0]?.note, 'x')
  assert.equal(kept.nodes[0]?.execution.nice, 5)
})

test('a higher major version is refused, also when the rest could be read', () => {
  const error = refusal({ ir_version: '2.0.0', nodes: ['a'] })
  assert.equal(error.code, 'flows.newer-ir')
  assert.match(error.message, /"2\.0\.0".*1\.0\.0/)
  assert.equal(parseIr({ ir_version: '1.7.2', nodes: ['a'] }).ir_version, '1.7.2')
})

test('parseIr() refuses what it cannot read, and names the place', () => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [[], /Cannot read the flow: expected an object/],
    [{ nodes: [{ id: 'a b' }] }, /at nodes\[0\]\.id: expected 1 to 64/],
    [{ nodes: [{ id: 'x'.repeat(65) }] }, /at nodes\[0\]\.id/],
    [{ nodes: ['a', 'b', 'a'] }, /at nodes\[2\]\.id: "a" is used twice/],
    [{ nodes: [{ id: 'a', params: [] }] }, /at nodes\[0\]\.params/],
    [{ nodes: [{ id: 'a', forEach: { items: [], max: 0 } }] }, /at nodes\[0\]\.forEach\.max/],
    [{ nodes: [{ id: 'a', forEach: { items: [] }, batch: { items: [] } }] }, /written twice/],
    [{ nodes: ['a'], edges: [{ from: 'a' }] }, /at edges\[0\]\.to/],
    [{ nodes: ['a'], edges: [{ from: 'a', to: 'a', max: 1e9 }] }, /at edges\[0\]\.max/],
    [{ metadata: { safety: { level: 'hush' } } }, /at metadata\.safety\.level/],
    [{ ir_version: '1' }, /at ir_version/],
    [{ nodes: [{ id: 'a', params: { x: undefined } }] }, /at nodes\[0\]\.params\.x: expected JSON/],
    [{ nodes: [{ id: 'a', params: { x: Number.NaN } }] }, /expected JSON/],
    [JSON.parse('{"nodes":[{"id":"a","params":{"__proto__":1}}]}'), /"__proto__" cannot be used/],
  ]
  for (const [input, message] of cases) {
    const error = refusal(input)
    assert.match(error.message, message)
    assert.equal(error.code, 'flows.bad-ir')
    assert.equal(error.exit, 2)
  }
})

test('a flow that is too deep or too large is refused before anything walks through it', () => {
  let deep: unknown = 'x'
  for (let at = 0; at < 100_000; at += 1) deep = [deep]
  assert.match(refusal({ nodes: [], deep }).message, /nested deeper/)
  const wide = Array.from({ length: 300_000 }, () => 0)
  assert.match(refusal({ wide }).message, /too large/)
  const many = Array.from({ length: 1001 }, (_, at) => `n${at}`)
  assert.match(refusal({ nodes: many }).message, /at nodes/)
})

test('names that objects know are names like any other', () => {
  const ir = parseIr({ nodes: ['constructor', 'toString', 'hasOwnProperty'] })
  assert.equal(ir.nodes.length, 3)
})

test('a node that names a tool is called after it, and any other after its type', () => {
  const mcp_metadata = { server_id: 'github', tool_name: 'search' }
  const node = { id: 'a', params: {} }
  assert.equal(nodeTitle({ ...node, type: 'mcp_wrapper', mcp_metadata }), 'github.search')
  assert.equal(nodeTitle({ ...node, type: 'mcp_wrapper' }), 'mcp_wrapper')
  assert.equal(nodeTitle({ ...node, type: 'llm', mcp_metadata }), 'llm')
})
