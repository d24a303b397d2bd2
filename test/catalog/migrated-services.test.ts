/** Servers imported from another client get hosts, settings and credential names from the catalog. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { createDefinitions } from '../../src/definitions/create-definitions.ts'
import { openFakeDeps } from '../../src/definitions/fake-deps.ts'
import type { ImportedServer } from '../../src/kernel/import-report.ts'

interface Moved extends ImportedServer {
  readonly text: string
  readonly secrets: Readonly<Record<string, string>>
}

async function migrate(entry: object): Promise<Moved> {
  await using deps = await openFakeDeps()
  const file = await deps.put('source/mcp.json', JSON.stringify({ mcpServers: { it: entry } }))
  const definitions = createDefinitions({ ...deps, catalog: createCatalog() })
  const request = { path: file, dryRun: false, backup: false, replace: false }
  const { servers, problems } = await definitions.migrate(request)
  assert.deepEqual(problems, [])
  const secrets = [...deps.secrets].map(([name, value]) => [name, value.toString()])
  const text = await readFile(join(deps.userFolder, 'it.toml'), 'utf8')
  const [server] = servers
  assert.ok(server)
  return { ...server, text, secrets: Object.fromEntries(secrets) as Record<string, string> }
}
const npx = (...args: readonly string[]) => ({ command: 'npx', args: ['-y', ...args] })

test('a database address among the arguments becomes the credential, and its host the only one', async () => {
  const address = 'postgresql://reader:hunter2hunter2@db.example.com/mydb'
  const moved = await migrate(npx('@modelcontextprotocol/server-postgres', address))
  assert.deepEqual(moved.secrets, { 'it/DSN': address })
  assert.deepEqual([moved.hosts, moved.missing], [['db.example.com:5432'], undefined])
  assert.match(moved.text, /args = \[ "-y", "@bytebase\/dbhub", "--transport", "stdio" \]/)
  assert.doesNotMatch(moved.text, /hunter2|enabled = false/)
})

test('a package of the catalog without its token waits for it under the name that the service reads', async () => {
  const moved = await migrate(npx('@modelcontextprotocol/server-github'))
  assert.match(moved.missing ?? '', /run `cordon vault set it\/GITHUB_PERSONAL_ACCESS_TOKEN`/)
  assert.match(
    moved.text,
    /GITHUB_PERSONAL_ACCESS_TOKEN = "vault:it\/GITHUB_PERSONAL_ACCESS_TOKEN"/,
  )
  assert.deepEqual(moved.hosts, ['api.github.com'])
})

test('another credential than the usual one is believed', async () => {
  const env = { OPENAPI_MCP_HEADERS: '{"Authorization":"Bearer ntn_canarycanarycanary"}' }
  const moved = await migrate({ ...npx('@notionhq/notion-mcp-server'), env })
  assert.equal(moved.missing, undefined)
  assert.deepEqual(Object.keys(moved.secrets), ['it/OPENAPI_MCP_HEADERS'])
})

test('DEF-2: mcp-remote becomes the remote server, and the token of its header goes to the vault', async () => {
  const line = npx('mcp-remote', 'https://mcp.example.com/mcp', '--header')
  const header = 'Authorization: Bearer ${AUTH}'
  const moved = await migrate({ ...line, args: [...line.args, header], env: { AUTH: 'canary-1' } })
  assert.deepEqual(moved.secrets, { 'it/bearer': 'canary-1' })
  assert.match(moved.text, /url = "https:\/\/mcp\.example\.com\/mcp"/)
  assert.match(moved.text, /bearer = "vault:it\/bearer"/)
  assert.doesNotMatch(moved.text, /canary|command/)
  const keyed = await migrate({ ...line, args: [...line.args, 'X-Api-Key: canarycanary123'] })
  assert.deepEqual(Object.keys(keyed.secrets), ['it/header-X-Api-Key'])
})

test('a line that npm cannot install is kept, disabled, with the reason', async () => {
  const moved = await migrate(npx('github:someone/server'))
  assert.match(moved.text, /enabled = false/)
  assert.match(moved.missing ?? '', /^Cannot install what is no npm package\./)
})

test('an imported file cannot claim to be of the catalog', async () => {
  const moved = await migrate({ command: 'npx', args: ['acme-tools'], source: { kind: 'catalog' } })
  assert.doesNotMatch(moved.text, /catalog/)
})
