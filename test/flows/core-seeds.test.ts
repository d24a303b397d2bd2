/** The example flows of the source documents, word for word: parsed, checked, and judged by the real policy. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { checkFlow } from '../../src/flows/check/check-flow.ts'
import { type FakeTool, fakeNodes, TOOLS } from '../../src/flows/nodes/fake-nodes.ts'
import { parseIr } from '../../src/flows/language/ir.ts'
import { renderIrSchema } from '../../src/flows/language/ir-shape.ts'
import { decideFor } from './core-decide.ts'

/** §8.1. */
const SEARCH_AND_TELL = {
  metadata: {
    planner_version: '1.0.0',
    created_at: '2024-01-01T12:00:00Z',
    prompt: 'find Python authentication bugs on GitHub and post summary to Slack',
  },
  nodes: [
    {
      id: 'mcp-github-search-code',
      version: '1.0.0',
      type: 'mcp_wrapper',
      params: { max_results: 15 },
      mcp_metadata: { server_id: 'github-server', tool_name: 'search_code', version: '1.2.0' },
    },
    { id: 'llm', version: '1.0.0', params: { model: 'gpt-4', temperature: 0.3 } },
    {
      id: 'mcp-slack-send-message',
      version: '1.0.0',
      type: 'mcp_wrapper',
      params: {},
      mcp_metadata: { server_id: 'slack-server', tool_name: 'send_message', version: '2.1.0' },
    },
  ],
  edges: [
    { from: 'mcp-github-search-code', to: 'llm' },
    { from: 'llm', to: 'mcp-slack-send-message' },
  ],
  mappings: {
    'mcp-slack-send-message': {
      input_mappings: { message: 'summary', channel: 'dev-team-alerts' },
    },
  },
}

/** §10.3. */
const MARKETPLACE = {
  marketplace_flow: {
    nodes: ['mcp-github-search-code', 'text-processor', 'notification-sender'],
    mappings: {
      'mcp-github-search-code': {
        input_mappings: { query: 'search_terms', language: 'target_language' },
        output_mappings: { search_results: 'raw_code_data' },
      },
    },
  },
}

/** §6.2. */
const MAPPINGS = {
  mappings: {
    'mcp-github-search-code': {
      input_mappings: { query: 'search_terms', language: 'prog_lang_filter' },
      output_mappings: { search_results: 'github_code_matches' },
    },
  },
}

test('the flow that searches and tells is sound with what its author gives it', () => {
  const ir = parseIr(SEARCH_AND_TELL)
  const given = new Set(['query', 'language', 'dev-team-alerts'])
  const report = checkFlow({ ir, nodeIndex: fakeNodes(), predict: decideFor, given })
  assert.ok(report.isSound)
  assert.deepEqual(
    report.findings.map(({ severity, code }) => `${severity} ${code}`),
    [
      'warning pin.other-server',
      'warning pin.other-server',
      'note mapping.automatic',
      'note mapping.automatic',
    ],
  )
  assert.ok(report.steps.every(({ verdict }) => verdict.kind !== 'ask'))
  assert.deepEqual(report.safety.sinks, ['github.search_code', 'slack.send_message'])
  const [, tell] = report.steps
  assert.equal(tell?.verdict.kind === 'allow' && tell.verdict.rule, 'write.content')
  assert.deepEqual(
    tell?.args.map(({ name, from }) => [name, from]),
    [
      ['message', ['${llm.response}']],
      ['channel', ['input dev-team-alerts']],
    ],
  )
})

test('the check lists the inputs that the flow still needs', () => {
  const report = checkFlow({
    ir: parseIr(SEARCH_AND_TELL),
    nodeIndex: fakeNodes(),
    predict: decideFor,
  })
  assert.deepEqual(
    report.needs.map(({ name, node }) => [name, node]),
    [
      ['query', 'mcp-github-search-code'],
      ['dev-team-alerts', 'mcp-slack-send-message'],
    ],
  )
})

test('the flow of the marketplace is read with its name, and checked in its order', () => {
  const ir = parseIr(MARKETPLACE)
  assert.equal(ir.metadata.name, 'marketplace_flow')
  assert.equal(ir.edges.length, 2)
  const sender: FakeTool = { server: 'notification', name: 'sender', effect: 'write' }
  const request = { ir, nodeIndex: fakeNodes([...TOOLS, sender]), predict: decideFor }
  const report = checkFlow({ ...request, given: new Set(['search_terms']) })
  assert.ok(report.isSound, JSON.stringify(report.findings))
  const input = report.bindings.get('text-processor')?.find(({ name }) => name === 'input')
  assert.deepEqual(
    input?.source.kind === 'automatic' && input.source.writer.output.name,
    'search_results',
  )
})

test('mappings on their own are read; that they are no flow is for the check to say', () => {
  const ir = parseIr(MAPPINGS)
  assert.deepEqual(ir.nodes, [])
  const { findings } = checkFlow({ ir, nodeIndex: fakeNodes(), predict: decideFor })
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['flow.empty', 'mapping.node'],
  )
})

test('the published schema is the one that is checked against', () => {
  const file = new URL('../../docs/flow.schema.json', import.meta.url)
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), renderIrSchema())
})
