/** The real OS keychain: a Secret Service in a new D-Bus session, and a machine without one. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const child = fileURLToPath(new URL('keychain.child.ts', import.meta.url))

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'cordon-keychain-'))
})
after(() => rmSync(folder, { recursive: true }))

async function run(command: string, args: readonly string[], bus?: string): Promise<unknown> {
  const env = {
    ...process.env,
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_RUNTIME_DIR: folder,
    DBUS_SESSION_BUS_ADDRESS: bus,
  }
  const { stdout } = await promisify(execFile)(command, args, { env, timeout: 60_000 })
  return JSON.parse(stdout)
}

/** Runs in a new desktop session whose keyring is unlocked by its password. The keyring's data stays in `folder`. */
function inSession(task: string, home: string): Promise<unknown> {
  const script =
    'printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; exec "$@"'
  const worker = [process.execPath, child, task, join(folder, home)]
  return run('dbus-run-session', ['--', 'sh', '-c', script, 'sh', ...worker])
}

function withoutSession(task: string, home: string): Promise<unknown> {
  const nowhere = `unix:path=${join(folder, 'no-such-bus')}`
  return run(process.execPath, [child, task, join(folder, home)], nowhere)
}

test('the key of a vault lives in the Secret Service and outlives the session', async () => {
  assert.equal(await inSession('probe', 'kept'), 'ok')
  assert.equal(await inSession('init', 'kept'), 'keychain')
  assert.deepEqual(readdirSync(join(folder, 'kept')).sort(), ['header.json', 'records'])
  assert.equal(await inSession('lend', 'kept'), 'value-1')
})

test('two homes in one keychain do not touch each other', async () => {
  assert.equal(await inSession('init', 'one'), 'keychain')
  assert.equal(await inSession('init', 'two'), 'keychain')
  assert.deepEqual(await inSession('rotate', 'two'), { records: 1 })
  assert.equal(await inSession('lend', 'one'), 'value-1')
  assert.equal(await inSession('lend', 'two'), 'vault.locked')
})

test('without a keychain the vault falls back to a key file when nothing was demanded', async () => {
  assert.match(String(await withoutSession('probe', 'plain')), /^Cannot use the OS keychain/)
  assert.equal(await withoutSession('insist', 'plain'), 'vault.keychain')
  assert.equal(existsSync(join(folder, 'plain', 'header.json')), false)
  assert.equal(await withoutSession('init', 'plain'), 'keyfile')
  assert.equal(readFileSync(join(folder, 'plain', 'key')).length, 32)
  assert.equal(await withoutSession('lend', 'plain'), 'value-1')
})

test('a keychain vault whose keychain is gone stays locked and says so', async () => {
  assert.equal(await inSession('init', 'moved'), 'keychain')
  const status = (await withoutSession('status', 'moved')) as { state: string; warnings: string[] }
  assert.equal(status.state, 'locked')
  assert.match(status.warnings.join(), /Cannot use the OS keychain/)
  assert.equal(await inSession('lend', 'moved'), 'value-1', 'nothing was lost')
})
