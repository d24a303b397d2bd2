/** The search list of the machine's resolver, which would turn an allowed name that does not exist into another one. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const program = fileURLToPath(new URL('search-list.child.ts', import.meta.url))

test('EGRESS-1: an allowed name is looked up as it is, and under no search list', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-search-'))
  const own = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const args = [...own, '--net', '--mount', '--', process.execPath, program, folder]
  try {
    const { stdout } = await promisify(execFile)('unshare', args)
    const { vetted, asked, naive, hosts } = JSON.parse(stdout) as Record<string, unknown>
    assert.equal(vetted, 'unresolved')
    assert.deepEqual(asked, ['nothing.example.net'])
    assert.equal(naive, '93.184.216.34', 'the control: the system itself follows its search list')
    assert.deepEqual(hosts, ['93.184.216.35'], 'a name of the hosts file still resolves')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
