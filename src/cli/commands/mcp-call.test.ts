import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFake } from '../fake-surface.ts'

test('a call that fails says why, what to do about it, and ends with 5', async () => {
  const result = {
    kind: 'failed',
    code: 'vault.locked',
    reason: 'Cannot lend secret "x"',
    hint: 'Run `cordon vault unlock`, then try again',
  } as const
  const ran = await runFake(['mcp', 'call', 'a.b'], { 'mcp.call': async () => result })
  assert.deepEqual(
    [ran.code, ran.stdout, ran.stderr],
    [
      5,
      'failed: Cannot lend secret "x"\n',
      'cordon: hint: Run `cordon vault unlock`, then try again\n',
    ],
  )
  const json = await runFake(['mcp', 'call', 'a.b', '--json'], { 'mcp.call': async () => result })
  assert.deepEqual(JSON.parse(json.stdout), result)
})

test('a call that is refused says what rule asks for, and ends with 3', async () => {
  const result = { kind: 'refused', reason: 'It asks', rule: 'approval.needed' } as const
  const ran = await runFake(['mcp', 'call', 'a.b'], { 'mcp.call': async () => result })
  assert.equal(ran.code, 3)
  assert.match(ran.stderr, /^cordon: hint: Run it in a terminal/)
})
