/** Freezes the meaning of the exit codes, by commands that end with each. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCordon } from '../fixtures/cordon.ts'

test('exit codes: 0 done, 2 usage, 3 denied, 4 locked, 5 unavailable', async () => {
  await using cordon = openCordon()
  const codes = async (...args: string[]) => (await cordon.run(args)).code
  assert.equal(await codes('--help'), 0)
  assert.equal(await codes('no-such-command'), 2)
  assert.equal(await codes('mcp', 'show', 'nobody'), 2)
  assert.equal(await codes('audit', 'verify', '--head', 'f'.repeat(64)), 3)
  assert.equal(await codes('vault', 'set', 'x'), 4)
  await cordon.ask(['down'])
  assert.equal(await codes('status'), 5)
})
