import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowNodeView } from '../ports/flow-port.ts'
import type { LoadedDefinition } from '../kernel/server-definition.ts'
import type { ServerId } from '../kernel/server-id.ts'
import { type ExportDeps, exportRoutes } from './exports.ts'

const node: FlowNodeView = {
  id: 'mcp-github-search-code',
  kind: 'mcp',
  title: 'search_code',
  description: 'Search code',
  purity: 'impure',
  effect: 'remote-read',
  server: 'github',
  tool: 'search_code',
  inputs: [{ name: 'query', type: 'string', required: true }],
  params: [{ name: 'max_results', type: 'integer', default: 10 }],
  outputs: [{ name: 'result', type: 'any' }],
}
const github = {
  definition: {
    id: 'github' as ServerId,
    transport: 'stdio',
    command: 'mcp-github',
    args: [],
    version: '1.2.0',
  },
} as unknown as LoadedDefinition
const asked: unknown[] = []
const deps = {
  definitions: { load: async () => ({ servers: [github], problems: [] }) },
  flows: { nodes: async () => [node, { ...node, id: 'llm', kind: 'model' }] },
  servers: { tools: async () => [{ name: 'search_code', hash: 'abc' }] },
  exportServers: (definitions: readonly { readonly id: string }[], format: string) => {
    asked.push([definitions.map(({ id }) => id), format])
    const github = { transport: 'stdio', command: 'mcp-github', version: '1.2.0', token_env: 'T' }
    return { document: { servers: { github } }, notes: [] }
  },
} as unknown as ExportDeps
const routes = exportRoutes(deps)
const never = new AbortController().signal

test('R13: an entry of the registry has exactly the fields of the specification', async () => {
  const { entries } = await routes['registry.entries'].handle({}, never, 'terminal')
  assert.deepEqual(entries, [
    {
      node_id: 'mcp-github-search-code',
      type: 'mcp_wrapper',
      description: 'Search code',
      mcp_config: {
        server_id: 'github',
        tool_name: 'search_code',
        transport: 'stdio',
        command: 'mcp-github',
        version: '1.2.0',
        manifest_hash: 'sha256:abc',
      },
      interface: { inputs: ['query'], outputs: ['result'], params: { max_results: 10 } },
      purity: 'impure',
    },
  ])
})

test('mcp.export takes the named servers, and names the one that may have been meant', async () => {
  asked.length = 0
  const route = routes['mcp.export']
  await route.handle({ format: 'claude' }, never, 'terminal')
  await route.handle({ format: 'pflow', servers: ['github'] }, never, 'terminal')
  assert.deepEqual(asked, [
    [['github'], 'claude'],
    [['github'], 'pflow'],
  ])
  const wrong = route.handle({ format: 'claude', servers: ['gihub'] }, never, 'terminal')
  await assert.rejects(wrong, { code: 'kernel.no-server', hint: /Did you mean "github"/ })
})
