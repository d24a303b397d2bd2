/** R53, R72: servers that listen on a Unix socket are started in their sandboxes, like any other. */
import assert from 'node:assert/strict'
import { chmodSync, copyFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordon, root } from '../fixtures/cordon.ts'

const cordon = openCordon()
const program = path.join(path.dirname(cordon.home), 'uds-echo.mjs')

before(async () => {
  copyFileSync(path.join(root, 'test/fixtures/servers/uds-echo.mjs'), program)
  chmodSync(path.dirname(cordon.home), 0o755)
  await cordon.ask(['up', '--detach'])
})
after(() => cordon[Symbol.asyncDispose]())

const ADD = ['mcp', 'add'] as const
const call = (server: string) => cordon.run(['mcp', 'call', `${server}.echo`, 'text=hi', '--yes'])

test('a server on a Unix socket is started in its sandbox and called, line by line', async () => {
  await cordon.ask([...ADD, 'lines', '--transport', 'uds', '--', 'node', program])
  const launched = await cordon.run(['mcp', 'launch', 'lines'])
  assert.equal(launched.code, 0, launched.stderr)
  const called = await call('lines')
  assert.deepEqual([called.code, called.stdout], [0, 'hi\n'], called.stderr)
  const shown = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', 'lines'])
  assert.equal(shown.cordon, 'bwrap')
  assert.ok(shown.state.pid)
  assert.match((await cordon.run(['mcp', 'logs', 'lines'])).stdout, /stdout: this is no message/)
  await cordon.ask(['mcp', 'restart', 'lines'])
  assert.equal((await call('lines')).code, 0)
})

test('a server that speaks HTTP on its socket is started and called as well', async () => {
  const place = ['--socket', '/tmp/own/x.sock', '--http-path', '/mcp']
  await cordon.ask([...ADD, 'web', ...place, '--', 'node', program, 'http'])
  const called = await call('web')
  assert.deepEqual([called.code, called.stdout], [0, 'hi\n'], called.stderr)
})

test('a socket in a shared folder, and folders beside a socket, are refused with a sentence', async () => {
  const shared = ['--socket', '/tmp/x.sock', '--', 'node', program]
  const place = await cordon.run([...ADD, 'shared', ...shared])
  assert.equal(place.code, 2)
  assert.match(place.stderr, /socket_path: expected socket_path in a folder of its own below/)
  const read = ['--transport', 'uds', '--read', root, '--', 'node', program]
  const folders = await cordon.run([...ADD, 'reader', ...read])
  assert.equal(folders.code, 2)
  assert.match(folders.stderr, /it could reach every socket in them/)
})
