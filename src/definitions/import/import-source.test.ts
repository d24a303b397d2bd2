import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import type { ImportReport } from '../../kernel/import-report.ts'
import { createDefinitions } from '../create-definitions.ts'
import { type FakeDeps, openFakeDeps } from '../fake-deps.ts'

async function migrateFrom(deps: FakeDeps, path: string): Promise<ImportReport> {
  const request = { path, dryRun: true, backup: false, replace: false }
  return await createDefinitions(deps).migrate(request)
}

test('an import says where a file stops being JSON, and never quotes it', async () => {
  await using deps = await openFakeDeps()
  const text = '{\n  "mcpServers": {\n    "x": { "token": ghp_canarycanarycanary }\n}'
  const path = await deps.put('mcp.json', text)
  await assert.rejects(migrateFrom(deps, path), {
    code: 'servers.import-json',
    exit: 2,
    message: `Cannot read ${JSON.stringify(path)}: line 3, column 21: expected a value`,
  })
})

test('an import refuses what it cannot read', async () => {
  await using deps = await openFakeDeps()
  const read = { code: 'servers.import-read', exit: 2 }
  await assert.rejects(migrateFrom(deps, 'relative.json'), read)
  await assert.rejects(migrateFrom(deps, join(deps.base, 'missing.json')), read)
  await assert.rejects(migrateFrom(deps, '/dev/zero'), read)
  const many = Array.from({ length: 1001 }, (_, index) => [`s${index}`, {}])
  const path = await deps.put(
    'many.json',
    JSON.stringify({ servers: Object.fromEntries(many) as object }),
  )
  await assert.rejects(migrateFrom(deps, path), { ...read, hint: /at most 1000 servers/ })
})

test('an import refuses what it does not recognise', async () => {
  await using deps = await openFakeDeps()
  const unknown = { code: 'servers.import-format', exit: 2 }
  await deps.put('empty/readme.md', 'x')
  await assert.rejects(migrateFrom(deps, join(deps.base, 'empty')), unknown)
  for (const text of [
    '{}',
    '[]',
    '{"servers":[{"server":{"name":"x"}}]}',
    '{"profiles":[]}',
    'null',
  ]) {
    await assert.rejects(migrateFrom(deps, await deps.put('x.json', text)), unknown, text)
  }
})

test('an import looks for the configuration in a folder, and at the content of a file without extension', async () => {
  await using deps = await openFakeDeps()
  const servers = '# pflow writes this\n{ "servers": { "x": { "command": "x" } } }'
  await deps.put('a/config.json', '{"mcps":[]}')
  await deps.put('b/mcp.json', servers)
  await deps.put('c', servers)
  await deps.put('d', '# x\n[server]\ncommand = "x"')
  await deps.put('e', '[{ "server_id": "x", "command": "x" }]')
  const seen: string[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    seen.push((await migrateFrom(deps, join(deps.base, name))).format)
  }
  assert.deepEqual(seen, ['PersonalAgent', 'mcp.json', 'mcp.json', 'TOML', 'pflow registry'])
})

test('an import of TOML reads no enormous file', async () => {
  await using deps = await openFakeDeps()
  const path = await deps.put('x.toml', '#'.repeat(300_000))
  const { problems, servers } = await migrateFrom(deps, path)
  assert.deepEqual([problems, servers], [[{ path, message: 'expected at most 256 KiB' }], []])
})
