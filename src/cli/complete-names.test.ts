import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFake } from './fake-surface.ts'

const card = (name: string) => ({ card: { id: { server: 'files', name } } })
const answers = {
  'mcp.list': async () => ({ servers: [{ server: 'files' }, { server: 'mail' }], problems: [] }),
  'catalog.list': async () => ({ services: [{ slug: 'notion' }, { slug: 'slack' }] }),
  'flows.list': async () => ({ flows: [{ name: 'digest' }] }),
  'tools.list': async () => ({
    tools: [card('read_file'), card('$(touch x)'), card('a;b'), card('`id`')],
    flags: [],
  }),
  'mcp.tools': async () => ({
    tools: [{ name: 'read_file', inputSchema: { properties: { path: {}, 'x y': {} } } }],
  }),
  'mcp.resources': async () => ({
    resources: [{ uri: 'files://a' }, { uri: 'files://$(id)' }],
    templates: [],
  }),
  'mcp.prompts': async () => ({ prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }] }),
  'flows.complete': async () => ({ candidates: [] }),
} as unknown as Parameters<typeof runFake>[1]

async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await runFake(['complete', '--', ...words], answers)
  return stdout
    .split('\n')
    .flatMap((line) => (/^[^:]/.test(line) ? [line.split('\t')[0] ?? ''] : []))
}

test('servers, services, flows, tools and the arguments of a tool are completed', async () => {
  assert.deepEqual(await offered('mcp', 'show', ''), ['files', 'mail'])
  assert.deepEqual(await offered('mcp', 'show', 'f'), ['files'])
  assert.deepEqual(await offered('mcp', 'export', 'm'), ['mail'])
  assert.deepEqual(await offered('connect', 'n'), ['notion'])
  assert.deepEqual(await offered('flow', 'show', ''), ['digest'])
  assert.deepEqual(await offered('mcp', 'call', 'files.read_file', ''), ['path='])
})

test('resources, prompts and their arguments are completed', async () => {
  assert.deepEqual(await offered('mcp', 'resources', 'm'), ['mail'])
  assert.deepEqual(await offered('mcp', 'read', 'f'), ['files'])
  assert.deepEqual(await offered('mcp', 'read', 'files', ''), ['files://a'])
  assert.deepEqual(await offered('mcp', 'prompt', 'files', ''), ['greet'])
  assert.deepEqual(await offered('mcp', 'prompt', 'files', 'greet', ''), ['who='])
})

test('a name that a shell would evaluate is not offered', async () => {
  assert.deepEqual(await offered('mcp', 'call', 'files'), ['files.read_file'])
})
