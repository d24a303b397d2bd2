import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { openFakeDeps } from '../fake-deps.ts'
import { clientConfigChecks } from './client-config-checks.ts'
import { CLIENT_CONFIGS, configFolders, placesOf } from './client-configs.ts'

test('doctor names the servers around Cordon, unpinned lines and tokens, and never a value', async () => {
  await using deps = await openFakeDeps()
  const folders = configFolders('linux', deps.homeFolder, {})
  const path = join(deps.homeFolder, '.cursor/mcp.json')
  assert.deepEqual(await clientConfigChecks(folders), [])
  const text = JSON.stringify({
    mcpServers: {
      cordon: { command: 'cordon', args: ['gateway', '--client', 'cursor'] },
      fresh: { command: 'npx', args: ['-y', 'some-server'] },
      pinned: { command: 'npx', args: ['-y', '@x/y@1.2.3'] },
      open: { command: 'x', env: { API_TOKEN: 'canary-0123456789abcdef' } },
    },
  })
  await deps.put(path, text)
  const [check, ...more] = await clientConfigChecks(folders)
  assert.deepEqual(more, [])
  assert.equal(
    check?.finding,
    'Cursor also starts fresh, pinned, open around Cordon; no version is pinned for fresh; tokens in plain text: open',
  )
  assert.match(check?.remedy ?? '', /cordon import cursor/)
  await deps.put(path, '{ "mcpServers": { canary')
  const [broken] = await clientConfigChecks(folders)
  assert.match(broken?.finding ?? '', /Cannot read the configuration of Cursor: line 1/)
  assert.doesNotMatch(JSON.stringify(broken), /canary/)
})

test('every client has a place on every platform and a source', () => {
  for (const config of CLIENT_CONFIGS) {
    assert.match(config.source, /^https:\/\//)
    for (const platform of ['linux', 'darwin', 'win32']) {
      const places = placesOf(config, configFolders(platform, '/home/me', {}))
      assert.ok(places.length > 0 && places.every((place) => place.startsWith('/home/me/')))
    }
  }
  const [desktop] = CLIENT_CONFIGS
  assert.ok(desktop)
  assert.deepEqual(placesOf(desktop, configFolders('linux', '/h', { XDG_CONFIG_HOME: '/x' })), [
    '/x/Claude/claude_desktop_config.json',
  ])
})
