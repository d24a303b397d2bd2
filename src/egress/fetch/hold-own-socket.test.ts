import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { holdOwnSocket } from './hold-own-socket.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-own-'))
const at = (name: string): string => path.join(folder, name)
const servers: Server[] = []
after(() => {
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true })
})

async function listen(name: string): Promise<void> {
  const server = createServer((socket) => socket.end(name)).listen(at(name))
  servers.push(server)
  await once(server, 'listening')
}

test('holdOwnSocket() takes a socket, and neither a link to one nor any other file', async () => {
  await listen('real')
  symlinkSync(at('real'), at('link'))
  writeFileSync(at('file'), '')
  assert.equal(await holdOwnSocket(at('link')), undefined)
  assert.equal(await holdOwnSocket(at('file')), undefined)
  assert.equal(await holdOwnSocket(at('none')), undefined)
  await using held = await holdOwnSocket(at('real'))
  assert.ok(held)
})

test('a socket that is swapped after it was looked at is still the one that is connected to', async () => {
  await listen('mine')
  await listen('other')
  await using held = await holdOwnSocket(at('mine'))
  assert.ok(held)
  renameSync(at('mine'), at('away'))
  symlinkSync(at('other'), at('mine'))
  const [said] = (await once(connect(held.path), 'data')) as [Buffer]
  assert.equal(said.toString(), 'mine')
})
