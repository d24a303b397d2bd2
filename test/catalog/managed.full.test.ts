/** Definitions that run a package by `npx` and the like, against a registry of the test, in real sandboxes. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { createManagedLaunch } from '../../src/catalog/managed/managed-launch.ts'
import type { Definitions } from '../../src/kernel/ports.ts'
import type { ServerDefinition } from '../../src/kernel/server-definition.ts'
import { parseServerId, type ServerId } from '../../src/kernel/server-id.ts'
import { never } from '../../src/kernel/test-never.ts'
import { egressTo, openPackageHouse, STAND_IN } from './package-house.ts'
import { openStandInRegistry } from './stand-in-registry.ts'

const registry = await openStandInRegistry()
const house = await openPackageHouse(egressTo(registry.port), STAND_IN)
after(async () => {
  await house[Symbol.asyncDispose]()
  await registry[Symbol.asyncDispose]()
})
type Load = Pick<Definitions, 'load' | 'findInProject'>
const program = { description: { bin: 'run.mjs' }, files: { 'run.mjs': '' } }
registry.add({ name: 'acme-tools', ...program })

const rows = new Map<string, { id: string; content: string }>()
const notes = {
  put: async (kind: string, id: string, content: string) =>
    void rows.set(kind + id, { id, content }),
  list: async (kind: string) =>
    [...rows].filter(([key]) => key.startsWith(kind)).map(([, row]) => row),
}
const managed = createManagedLaunch(createCatalog(), notes)

function definition(line: string, more: Partial<ServerDefinition> = {}): ServerDefinition {
  const [command = '', ...args] = line.split(' ')
  return {
    id: parseServerId('acme'),
    name: 'acme',
    description: '',
    label: 'sensitive',
    transport: 'stdio',
    command,
    args,
    allowedDomains: [],
    hostsUnsaid: true,
    enabled: true,
    scopes: [],
    env: {},
    auth: {},
    sandbox: {
      mode: 'bwrap',
      memoryLimitBytes: 256 * 2 ** 20,
      readOnlyFs: true,
      allowTmp: true,
      readPaths: [],
      writePaths: [],
    },
    tools: {},
    config: {},
    ...more,
  }
}

const provide = (written: ServerDefinition) =>
  managed.provide(house.packages, written, () => undefined, never)

/** The definition as it is loaded. */
async function loaded(written: ServerDefinition): Promise<ServerDefinition | undefined> {
  const loaded = { definition: written, scope: 'user', path: '/x', warnings: [] } as const
  const definitions = {
    load: async () => ({ servers: [loaded], problems: [] }),
    findInProject: async () => undefined,
  }
  return (await managed.manage(definitions).load()).servers[0]?.definition
}

test('a package is installed at the first start, pinned, and used from then on without a request', async () => {
  const written = definition('npx -y acme-tools --fast')
  assert.equal((await loaded(written))?.command, 'npx')
  const first = await provide(written)
  assert.deepEqual([first.command, first.args[1]], ['node', '--fast'])
  assert.equal(first.package?.version, '1.0.0')
  assert.match(first.args[0] ?? '', /packages\/acme@1\.0\.0\/node_modules\/acme-tools\/run\.mjs$/)

  registry.add({ name: 'acme-tools', version: '1.0.1', ...program })
  registry.requests.length = 0
  assert.deepEqual(await provide(written), first)
  assert.deepEqual(await loaded(written), first)
  assert.deepEqual(registry.requests, [])
})

test('the pin does not hold for another line in the file', async () => {
  assert.equal((await loaded(definition('pnpm dlx acme-tools@1.0.1')))?.command, 'pnpm')
})

test('a line that Cordon cannot run is refused with the reason', async () => {
  await assert.rejects(provide(definition('uv run server.py')), { code: 'catalog.waits' })
  await assert.rejects(provide(definition('npx ./x')), { code: 'catalog.not-installable' })
})

test('what is no managed launch stays as it is', async () => {
  const written = definition('node /srv/x.mjs')
  assert.equal(await provide(written), written)
  assert.equal(await loaded(written), written)
})

test('a package of the catalog gets the hosts and settings of the catalog where the file says nothing', async () => {
  const written = definition('npx -y @modelcontextprotocol/server-brave-search')
  const known = await loaded(written)
  assert.deepEqual(known?.allowedDomains, ['api.search.brave.com'])
  assert.deepEqual(known.env, { BRAVE_MCP_TRANSPORT: 'stdio' })
  assert.deepEqual(known.source, { kind: 'catalog', name: 'brave-search' })
  const { hostsUnsaid: _unsaid, ...said } = written
  assert.deepEqual((await loaded(said))?.allowedDomains, [])
})

test("DEF-4: a project's package gets no host of the catalog, and is not vouched for", async () => {
  const id = 'acme~0123456789abcdef' as ServerId
  const found = definition('npx -y @modelcontextprotocol/server-github', { id })
  const definitions = {
    load: async () => ({ servers: [], problems: [] }),
    findInProject: async () => found,
  }
  const here = await managed.manage<Load>(definitions).findInProject('/x', parseServerId('acme'))
  assert.deepEqual([here?.allowedDomains, here?.source], [[], undefined])
})

test('mcp-remote in a file is the remote server, with the secret that its header names', async () => {
  const ref = { scheme: 'vault', name: 'acme/TOKEN' } as const
  const bridge = definition('npx mcp-remote https://mcp.example.com/mcp')
  const { command, url, transport, allowedDomains } = (await loaded(bridge)) ?? {}
  assert.deepEqual(
    [command, url, transport, allowedDomains],
    [undefined, 'https://mcp.example.com/mcp', 'stream-http', ['mcp.example.com']],
  )
  const header = ['--header', 'Authorization: Bearer ${TOKEN}']
  const signed = { ...bridge, args: [...bridge.args, ...header], auth: { TOKEN: ref } }
  assert.deepEqual((await loaded(signed))?.auth, { bearer: ref })
  const plain = { ...bridge, args: [...bridge.args, '--header', 'X: y'] }
  assert.equal((await loaded(plain))?.command, 'npx')
  await assert.rejects(provide(plain), { code: 'catalog.bridged' })
})
