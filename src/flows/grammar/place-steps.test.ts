import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeOnly, readFlow } from './test-nodes.ts'

function edges(text: string): unknown {
  return readFlow(text).ir['edges']
}

function ids(text: string): unknown {
  return (readFlow(text).ir['nodes'] as { id: string }[]).map(({ id }) => id)
}

test('toIr() comes back to a node that is already there, a bounded number of times', () => {
  const text = `mcp-github-search-code as search --query x >> summarize
search - "rate_limited" >> wait --seconds 5 >> search
search - "auth_failed" max 1 >> wait >> search`
  assert.deepEqual(ids(text), ['search', 'summarize-text', 'wait'])
  assert.deepEqual(edges(text), [
    { from: 'search', to: 'summarize-text' },
    { from: 'search', to: 'wait', action: 'rate_limited', max: 3 },
    { from: 'wait', to: 'search' },
    { from: 'search', to: 'wait', action: 'auth_failed', max: 1 },
  ])
})

test('toIr() comes back to a node by the name it was written with', () => {
  const text =
    'mcp_github.search_code --query x >> wait\nmcp_github.search_code - "timeout" >> wait'
  assert.deepEqual(ids(text), ['mcp-github-search-code', 'wait'])
})

test('toIr() makes a second node of a repeated name where coming back would never end', () => {
  assert.deepEqual(ids('llm --prompt a >> llm --prompt b >> summarize >> llm'), [
    'llm',
    'llm-2',
    'summarize-text',
    'llm-3',
  ])
  assert.deepEqual(ids('wait >> summarize >> wait'), ['wait', 'summarize-text', 'wait-2'])
})

test('toIr() cuts a name that is too long for an id, and keeps ids apart', () => {
  const name = 'n'.repeat(100)
  const shape = { inputs: [], params: {}, types: {} }
  const nodes = readFlow(`${name} >> ${name}`, {}, describeOnly({ [name]: shape })).ir['nodes']
  assert.deepEqual(
    (nodes as { id: string }[]).map(({ id }) => id),
    ['n'.repeat(64), `${'n'.repeat(62)}-2`],
  )
})
