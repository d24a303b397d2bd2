import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LaunchSpec } from '../../kernel/sandbox-port.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { withBrowser } from './with-browser.ts'

const CHROME = '/opt/google/chrome/chrome'

function specWith(startsBrowser: boolean): LaunchSpec {
  return {
    server: parseServerId('driver'),
    command: 'node',
    args: ['cli.js', '--executablePath={browser}'],
    environment: { BROWSER: '{browser}', OTHER: 'x' },
    settings: {
      mode: 'bwrap',
      memoryLimitBytes: 1,
      readOnlyFs: true,
      allowTmp: true,
      startsBrowser,
      readPaths: [],
      writePaths: [],
    },
    networked: true,
  }
}

test('a server that starts a browser is given the path of the one on this machine', () => {
  const { spec, mounts, files } = withBrowser(specWith(true), (file) => file === CHROME)
  assert.deepEqual(spec.args, ['cli.js', `--executablePath=${CHROME}`])
  assert.deepEqual(spec.environment, { BROWSER: CHROME, OTHER: 'x' })
  const folder = '/opt/google/chrome'
  assert.deepEqual(mounts, [{ source: folder, target: folder, writable: false }])
  for (const policy of Object.values(files)) {
    assert.equal(JSON.parse(policy).EncryptedClientHelloEnabled, false)
  }
  assert.equal(Object.keys(files).length, 2)
})

test('without a browser such a server is refused, with the remedy; another is as it was', () => {
  assert.throws(() => withBrowser(specWith(true), () => false), { code: 'sandbox.no-browser' })
  const spec = specWith(false)
  assert.deepEqual(
    withBrowser(spec, () => true),
    { spec, mounts: [], files: {} },
  )
})
