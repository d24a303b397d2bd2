/** A machine that cannot make sandboxes, stood in for by a user namespace with a count of its own. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const child = fileURLToPath(new URL('launch-once.child.ts', import.meta.url))
const isRoot = process.getuid?.() === 0
const [uid, gid] = isRoot ? [65_534, 65_534] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]

/** Runs the child as an ordinary user who may make this many user namespaces. */
async function launchWith(most: number): Promise<string> {
  const become = isRoot ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : []
  const own = ['--user', `--map-user=${uid}`, `--map-group=${gid}`, '--keep-caps']
  const script = `echo ${most} > /proc/sys/user/max_user_namespaces
    exec setpriv --ambient-caps=-all --inh-caps=-all -- "$@"`
  const words = ['--', 'unshare', ...own, '--', 'sh', '-ec', script, 'sh', process.execPath, child]
  return (await promisify(execFile)('setpriv', [...become, ...words])).stdout
}

test('SANDBOX-8: without user namespaces nothing is started, and one sentence says what to do', async () => {
  assert.equal(await launchWith(100), 'it ran\n')
  assert.deepEqual(JSON.parse(await launchWith(0)), {
    code: 'sandbox.namespaces',
    message: 'Cannot make a sandbox on this machine',
    hint: 'Mend user namespaces (sudo sysctl user.max_user_namespaces=10000), then try again',
  })
})
