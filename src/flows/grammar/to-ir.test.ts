import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFlow } from './test-nodes.ts'

test('toIr() makes data of a flag that is an input, and a setting of one that is a param', () => {
  const { ir, data, missing } = readFlow(
    'mcp-github-search-code --query "auth bugs" --max-results=20 --no-archived --labels a --labels b --filter \'{"n":1}\'',
  )
  assert.deepEqual(ir, {
    ir_version: '1.0.0',
    inputs: { query: { type: 'string', default: 'auth bugs' } },
    nodes: [
      {
        id: 'mcp-github-search-code',
        type: 'mcp-github-search-code',
        params: { max_results: 20, archived: false, labels: ['a', 'b'], filter: { n: 1 } },
      },
    ],
    edges: [],
    mappings: {},
  })
  assert.deepEqual(data, { query: 'auth bugs' })
  assert.deepEqual(missing, [])
})

test('toIr() knows nodes by every name they answer to, and keeps ids, versions and edges', () => {
  const { ir } = readFlow(
    'mcp_github.search_code@1.2.0 --query 5 >> summarize as sum >> mcp_stripe.create_customer --email x',
  )
  assert.deepEqual(ir['nodes'], [
    { id: 'mcp-github-search-code', type: 'mcp-github-search-code', version: '1.2.0', params: {} },
    { id: 'sum', type: 'summarize-text', params: {} },
    { id: 'mcp-stripe-create-customer', type: 'mcp-stripe-create-customer', params: {} },
  ])
  assert.deepEqual(ir['edges'], [
    { from: 'mcp-github-search-code', to: 'sum' },
    { from: 'sum', to: 'mcp-stripe-create-customer' },
  ])
  assert.deepEqual(ir['inputs'], {
    query: { type: 'string', default: '5' },
    email: { type: 'string', default: 'x' },
  })
})

test('toIr() leaves a value with a reference at its node', () => {
  const { ir, data, missing } = readFlow(
    'mcp-github-search-code --query x --max-results ${n} >> llm --prompt "See ${mcp-github-search-code.search_results}"',
  )
  assert.deepEqual(data, { query: 'x' })
  assert.deepEqual(
    (ir['nodes'] as { params: unknown }[]).map(({ params }) => params),
    [{ max_results: '${n}' }, { prompt: 'See ${mcp-github-search-code.search_results}' }],
  )
  assert.deepEqual(missing, [])
})
