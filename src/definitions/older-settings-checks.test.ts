import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { createDefinitions } from './create-definitions.ts'
import { openFakeDeps } from './fake-deps.ts'
import { olderSettingsChecks } from './older-settings-checks.ts'

test('R7, R240: settings of an older program are named until their servers are moved in', async () => {
  await using deps = await openFakeDeps()
  const servers = { docs: { url: 'https://docs.example/mcp' }, gh: { command: 'mcp-github' } }
  const file = await deps.put('user/.pflow/mcp.json', JSON.stringify({ servers }))
  const home = dirname(dirname(file))
  const checks = () => olderSettingsChecks(home, deps.userFolder)
  const [check, ...others] = await checks()
  assert.deepEqual(others, [])
  assert.equal(check?.verdict, 'warn')
  assert.match(check.finding, /^pflow has 2 servers that are not in Cordon/)
  assert.match(check.remedy ?? '', /cordon mcp migrate --from ~\/\.pflow\/mcp\.json --dry-run/)
  const request = { path: file, dryRun: false, backup: false, replace: false }
  await createDefinitions(deps).migrate(request)
  assert.deepEqual(await checks(), [])
})

test('R240: a damaged file and a home without any are no findings', async () => {
  await using deps = await openFakeDeps()
  const file = await deps.put('user/.pflow/mcp.json', '{"servers": [')
  await deps.put('user/.pfar/mcp/readme.txt', 'none')
  assert.deepEqual(await olderSettingsChecks(dirname(dirname(file)), deps.userFolder), [])
  assert.deepEqual(await olderSettingsChecks('/nowhere', deps.userFolder), [])
})
