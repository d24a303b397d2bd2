import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../text/json.ts'
import { OWN_WORDS } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { RevealToken } from '../../labels/reveal-token.ts'
import { type CheckReport, checkFlow } from '../check/check-flow.ts'
import { fakeNodes } from '../nodes/fake-nodes.ts'
import { parseIr } from '../language/ir.ts'
import { pinFlow } from '../check/pin-flow.ts'
import { argumentsOf, outputsFrom } from './step-values.ts'
import { EMPTY_STORE, type FlowStore, scopeOf, withInputs, withOutputs } from './store-view.ts'

const value = (json: Json): Labelled => new Labelled(json, { label: OWN_WORDS })
const ir = parseIr({
  nodes: [
    { id: 's', type: 'github.search_code', params: { max_results: 3 } },
    { id: 'sum', type: 'summarize' },
    { id: 'send', type: 'slack.send_message', params: { message: '${sum.summary} (${s.total})' } },
  ],
  mappings: {
    send: { input_mappings: { channel: 'team' } },
    s: { output_mappings: { hits: 'found' } },
  },
})
const report: CheckReport = checkFlow({
  ir,
  nodeIndex: fakeNodes(),
  predict: () => ({ kind: 'allow', rule: 'test' }),
})
const names = new Set(report.nodes.keys())

function args(node: string, store: FlowStore): Readonly<Record<string, Json>> {
  const own = { label: OWN_WORDS, place: `${node}.params` }
  const given = argumentsOf(report.bindings.get(node) ?? [], scopeOf(store, names), own)
  const open = Object.entries(given).map(([name, one]) => [
    name,
    Labelled.reveal(one, RevealToken.issue()),
  ])
  return Object.fromEntries(open) as Record<string, Json>
}

function after(store: FlowStore, node: string, result: Json): FlowStore {
  const { outputs = [], mapping } = report.nodes.get(node) ?? {}
  return withOutputs(store, { node, mapping, outputs: outputsFrom(outputs, value(result)) })
}

test('the steps get the arguments that the check has bound', () => {
  let store = withInputs(EMPTY_STORE, { query: value('bugs'), team: value('#dev') })
  assert.deepEqual(args('s', store), { query: 'bugs', max_results: 3 })
  store = after(store, 's', { total: 2, items: ['a', 'b'] })
  assert.deepEqual(args('sum', store), { text: { total: 2, items: ['a', 'b'] } })
  assert.ok(store.values.has('found'))
  store = after(store, 'sum', { summary: 'two bugs' })
  assert.deepEqual(args('send', store), { message: 'two bugs (2)', channel: '#dev' })
})

test('a missing key that is required is named', () => {
  assert.throws(() => args('s', EMPTY_STORE), {
    code: 'flows.missing-input',
    message: "Cannot run the step: Missing required 'query' in shared store",
  })
})

test('a pinned flow names its tools in full, as they are now, and is still sound', () => {
  const pinned = pinFlow(ir, report)
  assert.equal(pinned.nodes[0]?.type, 'mcp-github-search-code')
  assert.equal(pinned.nodes[1]?.type, 'summarize-text')
  assert.deepEqual(pinned.nodes[0]?.mcp_metadata, {
    server_id: 'github',
    tool_name: 'search_code',
    manifest_hash: 'sha256:hash-of-github.search_code',
  })
  const again = checkFlow({
    ir: parseIr(pinned),
    nodeIndex: fakeNodes(),
    predict: () => ({ kind: 'allow', rule: 'test' }),
  })
  assert.deepEqual(again.findings, report.findings)
})
