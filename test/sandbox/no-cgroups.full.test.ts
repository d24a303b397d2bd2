/** A kernel without cgroups, stood in for by a mount namespace in which their folder is empty. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const child = fileURLToPath(new URL('hold-memory.child.ts', import.meta.url))
const isRoot = process.getuid?.() === 0
const HIDE = 'mount -t tmpfs none /sys/fs/cgroup'

test('SANDBOX-6: without cgroups a watchdog ends what takes too much memory, and doctor says so', async () => {
  const own = isRoot ? ['--mount'] : ['--user', '--map-root-user', '--mount']
  const script = `${HIDE} && exec "$@"`
  const words = [...own, '--', 'sh', '-ec', script, 'sh', process.execPath, child]
  const { stdout } = await promisify(execFile)('unshare', words)
  const expected = { memoryLayer: 'rlimit+watchdog', kind: 'memory', cgroups: 'warn' }
  assert.deepEqual(JSON.parse(stdout), expected)
})
