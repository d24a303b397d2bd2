import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import type { ImportReport } from '../../kernel/import-report.ts'
import { createDefinitions } from '../create-definitions.ts'
import { type FakeDeps, openFakeDeps } from '../fake-deps.ts'

const ID = '550e8400-e29b-41d4-a716-446655440000'

async function importAgent(deps: FakeDeps, mcps: readonly object[]): Promise<ImportReport> {
  const path = await deps.put('agent/config.json', JSON.stringify({ version: '1.0', mcps }))
  const request = { path, dryRun: false, backup: false, replace: false }
  return await createDefinitions(deps).migrate(request)
}

const entry = (fields: object): object => ({
  id: ID,
  name: 'AWS',
  enabled: true,
  source: { type: 'manual', url: 'https://h.example/?key=canary' },
  package: { type: 'npm', identifier: 'aws-mcp', runtime_hint: 'npx' },
  transport: 'stdio',
  auth_type: 'none',
  config: {},
  ...fields,
})

async function written(deps: FakeDeps, name: string): Promise<string> {
  return await readFile(join(deps.userFolder, `${name}.toml`), 'utf8')
}

test('several keys of one server each keep their variable', async () => {
  await using deps = await openFakeDeps()
  await deps.put(`agent/secrets/mcp_${ID}_AWS_ACCESS_KEY_ID.key`, 'canary1\n')
  await deps.put(`agent/secrets/mcp_${ID}_AWS_SECRET_ACCESS_KEY.key`, '  canary2')
  const report = await importAgent(deps, [entry({ auth_type: 'api_key' })])
  assert.deepEqual(report.servers[0]?.movedSecrets, [
    'aws/AWS_ACCESS_KEY_ID',
    'aws/AWS_SECRET_ACCESS_KEY',
  ])
  assert.equal(deps.secrets.get('aws/AWS_SECRET_ACCESS_KEY')?.toString(), 'canary2')
  const text = await written(deps, 'aws')
  assert.match(text, /AWS_ACCESS_KEY_ID = "vault:aws\/AWS_ACCESS_KEY_ID"/)
  assert.doesNotMatch(text + JSON.stringify(report), /canary/)
})

test('an OAuth answer goes to the vault as a whole, and is referred to as oauth:', async () => {
  for (const authType of ['oauth', 'o_auth']) {
    await using deps = await openFakeDeps()
    const document = { provider: 'x', access_token: 'canary', expires_at: '2026-01-15T14:00:00Z' }
    await deps.put(`agent/secrets/mcp_${ID}.oauth`, JSON.stringify(document))
    const report = await importAgent(deps, [entry({ auth_type: authType })])
    assert.deepEqual(report.servers[0]?.movedSecrets, ['oauth/aws'])
    assert.deepEqual(JSON.parse(deps.secrets.get('oauth/aws')?.toString() ?? ''), document)
    assert.match(await written(deps, 'aws'), /AWS_TOKEN = "oauth:aws"/)
  }
})

test('S8: a key file that the config names is not read, and the owner is told to store it', async () => {
  await using deps = await openFakeDeps()
  const { servers } = await importAgent(deps, [
    entry({ name: 'a', auth_type: 'keyfile', keyfile_path: '~/.token' }),
  ])
  assert.match(await written(deps, 'a'), /A_TOKEN = "vault:a\/A_TOKEN"/)
  assert.match(servers[0]?.notes.join('\n') ?? '', /its key file "~\/.token" was not read/)
  assert.match(servers[0]?.missing ?? '', /run `cordon vault set a\/A_TOKEN`/)
})

test('docker, http, smithery and disabled entries are carried over', async () => {
  await using deps = await openFakeDeps()
  const docker = { type: 'docker', identifier: 'ghcr.io/x/y' }
  const http = { type: 'http', identifier: 'https://h.example/mcp' }
  const source = { type: 'smithery', qualified_name: '@x/y' }
  await importAgent(deps, [
    entry({ name: 'd', enabled: false, package: docker, source }),
    entry({ name: 'h', transport: 'http', auth_type: 'api_key', package: http }),
  ])
  const { servers, problems } = await createDefinitions(deps).load()
  assert.deepEqual(problems, [])
  const [d, h] = servers.map(({ definition }) => definition)
  assert.ok(d && h)
  assert.deepEqual(d.args, ['run', '-i', '--rm', 'ghcr.io/x/y'])
  assert.deepEqual([d.command, d.enabled, d.sandbox.mode], ['docker', false, 'bwrap'])
  assert.deepEqual(d.package, { kind: 'docker', identifier: 'ghcr.io/x/y' })
  assert.deepEqual(d.source, { kind: 'smithery', qualifiedName: '@x/y' })
  assert.deepEqual([h.transport, h.url], ['stream-http', 'https://h.example/mcp'])
  assert.deepEqual(h.auth, { bearer: { scheme: 'vault', name: 'h/bearer' } })
})

test('secrets among the settings become references to the vault', async () => {
  await using deps = await openFakeDeps()
  const deep = { list: [{ token: 'canary2' }, null] }
  const config = { region: 'eu', apiKey: 'canary', nothing: null, deep }
  await importAgent(deps, [entry({ name: 'c', config })])
  const { servers } = await createDefinitions(deps).load()
  assert.deepEqual(servers[0]?.definition.config, {
    region: 'eu',
    apiKey: 'vault:c/config.apiKey',
    deep: { list: [{ token: 'vault:c/config.deep.list.token' }] },
  })
  assert.equal(deps.secrets.get('c/config.apiKey')?.toString(), 'canary')
  assert.doesNotMatch(await written(deps, 'c'), /canary/)
})

test('an id that is no UUID reads no file', async () => {
  await using deps = await openFakeDeps()
  await deps.put('agent/secrets/mcp_x/../../outside.key', 'canary')
  await deps.put('agent/outside.key', 'canary')
  const report = await importAgent(deps, [entry({ id: 'x/../../outside', auth_type: 'api_key' })])
  assert.deepEqual(report.servers[0]?.movedSecrets, [])
  assert.match(report.servers[0]?.missing ?? '', /cordon vault set aws\/AWS_TOKEN/)
})

test('an unknown way to sign in is left out, and said', async () => {
  await using deps = await openFakeDeps()
  const report = await importAgent(deps, [entry({ auth_type: 'constructor' })])
  assert.match(report.servers[0]?.notes.join() ?? '', /not carried over: auth_type/)
})

test('R15: settings that belong to no server are named, not dropped in silence', async () => {
  await using deps = await openFakeDeps()
  const config = {
    version: '1.0',
    profiles: [],
    mcps: [entry({})],
    global_hotkey: 'Cmd+Shift+Space',
  }
  const path = await deps.put('agent/config.json', JSON.stringify(config))
  const request = { path, dryRun: true, backup: false, replace: false }
  const { notes } = await createDefinitions(deps).migrate(request)
  assert.deepEqual(notes, ['not carried over, since no server has it: global_hotkey'])
})
