/** A mount that the owner makes after a server has started, on a machine whose mounts are shared, as systemd has them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const program = fileURLToPath(new URL('later-mount.child.ts', import.meta.url))
const isRoot = process.getuid?.() === 0

for (const kind of ['root', 'user'] as const) {
  const skip = kind === 'root' && !isRoot ? 'these tests do not run as root' : false
  test(`SANDBOX-1: a later mount appears in no sandbox when Cordon runs as ${kind}`, {
    skip,
  }, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cordon-later-'))
    chmodSync(folder, 0o755)
    const own = isRoot ? [] : ['--user', '--map-root-user']
    const args = [...own, '--mount', '--propagation', 'private', '--', process.execPath, program]
    try {
      const { stdout } = await promisify(execFile)('unshare', [...args, kind, folder])
      assert.deepEqual(JSON.parse(stdout), { cordon: 'nothing', naive: 'mounted later' })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
}
