import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
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

test('SANDBOX-7: each server of root is a user of its own, and finds what it kept as another user', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can become another user')
  const two = { ...kept, server: parseServerId('two') }
  await run('sh', ['-c', 'mkdir -p ~/data/deep && echo tea > ~/data/deep/fact'], kept)
  await run('true', [], two)
  const owners = ['one', 'two'].map((name) => statSync(path.join(data, name)).uid)
  assert.equal(new Set([0, 65_534, ...owners]).size, 4)
  const files = ['one', 'one/deep', 'one/deep/fact'].map((name) => path.join(data, name))
  const outside = path.join(folder, 'outside')
  writeFileSync(outside, '')
  symlinkSync(outside, path.join(data, 'one', 'link'))
  for (const file of files) chownSync(file, 65_534, 65_534) // as an earlier version had it
  assert.equal(await run('cat', ['/home/mcp/data/deep/fact'], kept), 'tea\n')
  assert.deepEqual(
    files.map((file) => statSync(file).uid),
    files.map(() => owners[0]),
  )
  assert.equal(statSync(outside).uid, 0)
})

test('SANDBOX-7: a server of root reads no private file of another in a folder that both may write', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can become another user')
  const shared = path.join(folder, 'shared')
  mkdirSync(shared)
  chmodSync(shared, 0o777)
  const settings = { writePaths: [shared] }
  await run('sh', ['-c', `umask 077; echo tea > ${shared}/mine`], { settings })
  assert.equal(await run('cat', [`${shared}/mine`], { settings }), 'tea\n')
  const other = { server: parseServerId('two'), settings }
  const seen = await run('sh', ['-c', `cat ${shared}/mine || echo refused`], other)
  assert.equal(seen, 'refused\n')
})

test('a folder that only nobody may write stays in reach', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can become another user')
  const given = path.join(folder, 'given')
  mkdirSync(given, { mode: 0o700 })
  chownSync(given, 65_534, 65_534)
  await run('touch', [`${given}/file`], { settings: { writePaths: [given] } })
})
