import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { parseServerId } from '../../kernel/server-id.ts'
import { openTestSandbox } from '../test-sandbox.ts'

const { folder, launch, run } = await openTestSandbox()
const kept = { settings: { keepsData: true } }
const data = path.join(folder, 'home', '.cordon', 'data')

test('what a server keeps is there at its next start, and nowhere without it', async () => {
  await run('sh', ['-c', 'echo tea > ~/data/fact'], kept)
  assert.equal(await run('cat', ['/home/mcp/data/fact'], kept), 'tea\n')
  assert.equal(await run('sh', ['-c', 'ls -A ~']), '')
})

// Regression 2
test("SANDBOX-1: a server sees its own data and no other's, and can name no path to it", async () => {
  const other = { ...kept, server: parseServerId('two') }
  assert.equal(await run('sh', ['-c', 'ls -A ~/data; ls /tmp'], other), '')
  for (const use of ['readPaths', 'writePaths'] as const) {
    const settings = { [use]: [path.join(data, 'one')] }
    await assert.rejects(launch('ls', [], { server: parseServerId('two'), settings }), {
      code: 'sandbox.path',
    })
  }
})
