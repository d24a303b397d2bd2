/** A server that reports progress: one line in the terminal of the caller, which is gone with the call. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { openCordon, root } from '../fixtures/cordon.ts'
import { openCommand } from './open-command.ts'

test('mcp call shows how far its server is, in one line, and nothing of it stays', async () => {
  await using cordon = openCordon()
  const slow = path.join(root, 'test', 'fixtures', 'servers', 'slow.mjs')
  await cordon.ask(['mcp', 'add', 'slow', '--', 'node', slow])
  await cordon.ask(['mcp', 'start', 'slow'])
  const says = { progress: 3, total: 10, message: 'Copying\u001b[2J \u202efiles' }
  const args = JSON.stringify({ ms: 15_000, tells: true, says })
  await using terminal = await openCommand(cordon, ['mcp', 'call', '--yes', 'slow.sleep', args])
  await terminal.until(/30 %: Copying\[2J files …$/)
  await terminal.until(/^slept$/m)
  assert.equal(await terminal.ended(), 0)
  assert.doesNotMatch(await terminal.scrollback(), /Copying/)
  const piped = await cordon.run(['mcp', 'call', '--yes', 'slow.sleep', '{"ms":200,"tells":true}'])
  assert.deepEqual([piped.stdout, piped.stderr], ['slept\n', ''])
})
