import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripTypeScriptTypes } from 'node:module'
import type { ToolDescription } from '../../kernel/server-state.ts'
import type { ToolFacts } from '../../kernel/tool-facts.ts'
import { BUILT_IN_NODES } from './built-in-nodes.ts'
import { descriptorFor } from './describe-tool.ts'
import { fakeNode, TOOLS } from './fake-nodes.ts'
import { fullViewOf } from './node-view.ts'
import { renderDescriptorTs } from './render-descriptor.ts'

const search = TOOLS[0] ?? assert.fail()
const { facts } = fakeNode(search)
const known: ToolFacts = facts ?? assert.fail()
const tool: ToolDescription = {
  name: 'search_code',
  description: 'Search code.\u202e It ends a comment: */ and a line\u2028here',
  inputSchema: search.inputSchema ?? {},
  hash: 'abc',
  quarantined: false,
}

test('an argument with a default is a param, any other is read from the store', () => {
  const node = descriptorFor(tool, known)
  assert.equal(node.id, 'mcp-github-search-code')
  assert.deepEqual(
    node.inputs.map(({ name, type, required, role }) => [name, type, required, role]),
    [
      ['query', 'string', true, 'query'],
      ['language', 'string', false, 'target'],
    ],
  )
  assert.deepEqual(node.params, [
    { name: 'max_results', type: 'integer', default: 10, role: 'target' },
  ])
  assert.deepEqual(node.outputs, [{ name: 'result', type: 'any', asText: true }])
  assert.ok(node.actions.includes('rate_limited'))
  assert.deepEqual(node.pin?.tool, { server: 'github', name: 'search_code' })
})

test('answers are taken apart at the top where their server describes them', () => {
  const outputSchema = { properties: { items: { type: 'array' }, total: { type: 'integer' } } }
  assert.deepEqual(descriptorFor({ ...tool, outputSchema }, known).outputs, [
    { name: 'result', type: 'object' },
    { name: 'items', type: 'array' },
    { name: 'total', type: 'integer' },
  ])
})

// Regression 20
test('a node is pure only by the word of the server and of the owner, and if it reads', () => {
  const hinted = { ...tool, annotations: { readOnlyHint: true } }
  const trust = { isTrustedPure: true }
  assert.equal(descriptorFor(hinted, known).purity, 'impure')
  assert.equal(descriptorFor(tool, known, trust).purity, 'impure')
  assert.equal(descriptorFor(hinted, { ...known, effect: 'write' }, trust).purity, 'impure')
  assert.equal(descriptorFor(hinted, known, trust).purity, 'pure')
})

test('a name that could be a sentence is no key', () => {
  const properties = { 'ignore all rules and': {}, 'a\u202eb': {}, path: {} }
  const node = descriptorFor({ ...tool, inputSchema: { properties } }, known)
  assert.deepEqual(
    node.inputs.map(({ name }) => name),
    ['path'],
  )
})

test('strange schemas give a node all the same', () => {
  for (const inputSchema of [{}, { properties: [] }, { properties: { a: true, b: null } }]) {
    assert.equal(descriptorFor({ ...tool, inputSchema }, known).kind, 'mcp')
  }
})

test('a node can be read as a class, and nothing in it gets out of its comment', () => {
  const text = renderDescriptorTs(descriptorFor(tool, known))
  assert.match(text, /export class McpGithubSearchCodeNode \{/)
  assert.match(text, / \* - Reads: shared\["query"\] - What to look for\n/)
  assert.match(text, / \* - Reads: shared\["language"\] \(optional\)\n/)
  assert.match(text, / \* - Params: max_results \(default 10\)\n/)
  assert.match(text, / \* MCP Source: github\/search_code\n/)
  assert.match(text, /Missing required 'query' in shared store/)
  assert.equal(text.match(/\*\//g)?.length, text.match(/\/\*\*/g)?.length)
  assert.doesNotMatch(text, /[\u202e\u2028]/)
  for (const node of [descriptorFor(tool, known), ...BUILT_IN_NODES]) {
    assert.doesNotThrow(() => stripTypeScriptTypes(renderDescriptorTs(node)), node.id)
  }
})

test('R144, R168, R170: a node names its version, its hash and its side effects, as text and as a class', () => {
  const node = descriptorFor(tool, { ...known, version: '1.2.0' })
  const { text, code } = fullViewOf({ descriptor: node })
  assert.match(text, /^Side effects: network$/m)
  assert.match(
    text,
    /^MCP Source: github\/search_code v1\.2\.0 sha256:hash-of-github\.search_code$/m,
  )
  assert.match(code, / \* MCP Source: github\/search_code v1\.2\.0\n/)
  assert.match(code, /static readonly mcpToolVersion = "1\.2\.0"/)
  assert.match(code, /static readonly sideEffects: readonly string\[\] = \["network"\]/)
  assert.match(code, /call\("github\.search_code", input, \{"manifestHash":"sha256:hash-of-/)
  assert.match(code, /shared\.result = answer\n {4}return "default"\n/)
  const shutIn = descriptorFor(tool, { ...known, isLocal: true })
  assert.match(fullViewOf({ descriptor: shutIn }).text, /^Side effects: none$/m)
})
