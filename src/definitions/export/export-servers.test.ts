import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDefinitions } from '../create-definitions.ts'
import { openFakeDeps } from '../fake-deps.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import type { Json } from '../../text/json.ts'
import { CordonError } from '../../kernel/error.ts'
import { type ExportFormat, exportServers as exportWith } from './export-servers.ts'

const exportServers = (all: readonly ServerDefinition[], format: ExportFormat) =>
  exportWith(all, format, (definition) => definition)

const ID = '550e8400-e29b-41d4-a716-446655440000'

/** The definitions that an import of this file gives, and the values that went to the vault. */
async function imported(file: string, content: Json): Promise<readonly ServerDefinition[]> {
  await using deps = await openFakeDeps()
  await deps.put(`agent/secrets/mcp_${ID}.key`, 'canary')
  const path = await deps.put(`agent/${file}`, JSON.stringify(content))
  const definitions = createDefinitions(deps)
  await definitions.migrate({ path, dryRun: false, backup: false, replace: false })
  const { servers, problems } = await definitions.load()
  assert.deepEqual(problems, [])
  return servers.map(({ definition }) => definition)
}

/** The exported document, and the definitions that an import of it gives. */
async function roundTrip(format: ExportFormat, file: string, content: Json) {
  const first = await imported(file, content)
  const { document, notes } = exportServers(first, format)
  assert.doesNotMatch(JSON.stringify([document, notes]), /canary/)
  return { document, notes, first, second: await imported('again.json', document) }
}

const mcps: Json = [
  {
    id: ID,
    name: 'GitHub',
    enabled: true,
    source: { type: 'official', name: 'github/github-mcp-server', version: '0.28.1' },
    package: { type: 'npm', identifier: '@github/mcp-server', runtime_hint: 'npx' },
    transport: 'stdio',
    auth_type: 'api_key',
    env_vars: [{ name: 'GITHUB_TOKEN' }],
    config: { org: 'acme' },
  },
  {
    id: ID,
    name: 'docs',
    enabled: false,
    source: { type: 'smithery', qualified_name: '@acme/docs' },
    package: { type: 'http', identifier: 'https://docs.example/mcp' },
    transport: 'http',
    auth_type: 'none',
    config: {},
  },
  {
    id: ID,
    name: 'box',
    enabled: true,
    source: { type: 'manual', url: 'https://box.example/' },
    package: { type: 'docker', identifier: 'ghcr.io/acme/box' },
    transport: 'stdio',
    auth_type: 'none',
    config: {},
  },
]

test('R15, R16, R17: what PersonalAgent wrote is written as it was, and read again as the same', async () => {
  const config = { version: '1.0', profiles: [], mcps, global_hotkey: 'Cmd+Shift+Space' }
  const { document, first, second } = await roundTrip('personal-agent', 'config.json', config)
  const ids = (document['mcps'] as { id: string }[]).map(({ id }) => id)
  assert.equal(new Set(ids).size, 3)
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  const byName = (one: { readonly name: string }, two: { readonly name: string }) =>
    one.name < two.name ? -1 : 1
  const known = (list: Json) =>
    (list as { id: string; name: string }[]).map((one) => ({ ...one, id: '' })).sort(byName)
  assert.deepEqual(
    { ...document, mcps: known(document['mcps'] ?? []) },
    { ...config, mcps: known(mcps) },
  )
  assert.deepEqual(second, first)
})

test('R7: pflow’s mcp.json is written with its own fields, and read again as the same', async () => {
  const servers = {
    gh: { transport: 'stdio', command: 'npx', args: ['-y', 'mcp-github'], token_env: 'GH_TOKEN' },
    mem: {
      transport: 'stdio',
      command: 'python',
      args: ['mcp_mem.py'],
      env: { LEVEL: '2' },
      autostart: true,
      version: '0.3.0',
    },
    weather: { transport: 'sse', url: 'https://api.weathercorp.com/sse', token_env: 'W_TOKEN' },
  }
  const { document, notes, first, second } = await roundTrip('pflow', 'mcp.json', { servers })
  // A token that is in the vault by now is named after the server, since no variable holds it any more.
  const weather = { ...servers.weather, token_env: 'WEATHER_TOKEN' }
  assert.deepEqual(document, { servers: { ...servers, weather } })
  assert.ok(notes.includes('gh: set GH_TOKEN; its value stays in the vault'))
  assert.ok(notes.includes('mem: left out: its sandbox'))
  assert.deepEqual(
    second.map(({ id, command, args, url, env }) => ({ id, command, args, url, env })),
    first.map(({ id, command, args, url, env }) => ({ id, command, args, url, env })),
  )
})

test('R16: an installed package is written as the line that runs it elsewhere, with its version', async () => {
  const [one] = await imported('mcp.json', {
    mcpServers: { gh: { command: 'node', args: ['/p/index.js', '--ro'] } },
  })
  assert.ok(one)
  const kept: ServerDefinition = {
    ...one,
    package: { kind: 'npm', identifier: '@acme/gh', version: '1.2.3' },
    auth: { GH_TOKEN: { scheme: 'vault', name: 'gh/GH_TOKEN' } },
    env: { MODE: 'x' },
  }
  const remote: ServerDefinition = {
    ...one,
    transport: 'stream-http',
    url: 'https://h.example/mcp',
    auth: {
      bearer: { scheme: 'oauth', name: 'h' },
      'header:X-Key': { scheme: 'env', name: 'H_KEY' },
    },
    env: { 'header:X-Plain': 'on' },
  }
  const { document } = exportServers([kept], 'claude')
  assert.deepEqual(document, {
    mcpServers: {
      gh: {
        command: 'npx',
        args: ['-y', '@acme/gh@1.2.3', '--ro'],
        env: { MODE: 'x', GH_TOKEN: '${GH_TOKEN}' },
      },
    },
  })
  assert.deepEqual(exportServers([remote], 'claude').document, {
    mcpServers: {
      gh: {
        type: 'http',
        url: 'https://h.example/mcp',
        headers: { 'X-Plain': 'on', Authorization: 'Bearer ${GH_TOKEN}', 'X-Key': '${H_KEY}' },
      },
    },
  })
})

test('R16: what a form cannot say is left out and noted, and a key file stays one', async () => {
  const [one] = await imported('mcp.json', {
    mcpServers: { s: { command: 'node', args: ['/p/s.js'] } },
  })
  assert.ok(one)
  const agent = exportServers([one], 'personal-agent')
  assert.deepEqual(agent.document['mcps'], [])
  assert.deepEqual(agent.notes, [
    's: left out: PersonalAgent starts packages, images and addresses only',
  ])
  const socket: ServerDefinition = { ...one, transport: 'uds', socketPath: '/run/s.sock' }
  assert.match(
    exportServers([socket], 'claude').notes[0] ?? '',
    /^s: left out: it is reached through a socket/,
  )
  const keyed: ServerDefinition = {
    ...one,
    package: { kind: 'npm', identifier: 's' },
    auth: { S_KEY: { scheme: 'file', name: '~/.s' } },
  }
  const [entry] = exportServers([keyed], 'personal-agent').document['mcps'] as Json[]
  assert.partialDeepStrictEqual(entry, { auth_type: 'keyfile', keyfile_path: '~/.s' })
})

test('R7: settings and folders are filled in, except where the server could not be started either', async () => {
  const [one] = await imported('mcp.json', {
    mcpServers: { s: { command: 'node', args: ['/p/s.js', 'X'] } },
  })
  assert.ok(one)
  const fill = ({ args, env }: ServerDefinition) => ({
    args: args.map((arg) => arg.replace('X', '/srv')),
    env,
  })
  const { document } = exportWith([one], 'claude', fill)
  assert.deepEqual(document, { mcpServers: { s: { command: 'node', args: ['/p/s.js', '/srv'] } } })
  const broken = exportWith([one], 'claude', () => {
    throw new CordonError('test.none', { exit: 2, hint: '' }, 'none')
  })
  assert.match(JSON.stringify(broken.document), /"X"/)
})

test('R16: a server that only Cordon has is never written as a package that anybody could publish', async () => {
  const [one] = await imported('mcp.json', {
    mcpServers: { db: { command: 'node', args: ['/p/s.js'] } },
  })
  assert.ok(one)
  const shipped = (name: string): ServerDefinition => ({
    ...one,
    args: [`cordon:${name}`],
    package: { kind: 'npm', identifier: name, version: '1.0.0' },
  })
  for (const format of ['claude', 'pflow', 'personal-agent'] as const) {
    const { document, notes } = exportServers([shipped('cordon-sqlite')], format)
    assert.doesNotMatch(JSON.stringify(document), /cordon-sqlite/)
    assert.deepEqual(notes, ['db: left out: it comes with Cordon, and npm does not have it'])
  }
  const { document } = exportServers([shipped('@acme/files')], 'claude')
  assert.match(JSON.stringify(document), /@acme\/files@1\.0\.0/)
})
