import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import test, { afterEach } from 'node:test'
import { relay } from './relay.ts'
import { listen } from '../test-outside.ts'

const opened: Socket[] = []

afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy()
})

/** Two ends of a connection over loopback. */
async function openPair(): Promise<readonly [Socket, Socket]> {
  const server = createServer({ allowHalfOpen: true })
  const port = await listen(server)
  const near = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const [far] = (await once(server, 'connection')) as [Socket]
  server.close()
  for (const socket of [near, far]) opened.push(socket.on('error', () => undefined))
  return [near, far]
}

test('relay() carries both ways, counts, and passes an end on as an end', async () => {
  const [client, inner] = await openPair()
  const [outer, host] = await openPair()
  const done = relay(inner, outer, { first: Buffer.from('first '), idleMs: 300_000 })
  host.on('end', () => host.end('answer after the end'))
  let heard = ''
  host.on('data', (chunk) => {
    heard += String(chunk)
  })
  client.end('request')
  let answer = ''
  for await (const chunk of client) answer += String(chunk)
  assert.equal(heard, 'first request')
  assert.equal(answer, 'answer after the end')
  assert.deepEqual(await done, { up: 13, down: 20 })
})

test('relay() lets a reader that stands still slow its writer, and then delivers everything', async () => {
  const [client, inner] = await openPair()
  const [outer, host] = await openPair()
  const done = relay(inner, outer, { first: Buffer.alloc(0), idleMs: 300_000 })
  const size = 64 * 1024 * 1024
  client.pause()
  host.end(Buffer.alloc(size))
  await new Promise((resolve) => setTimeout(resolve, 300))
  const held = inner.writableLength + outer.readableLength
  assert.ok(held < 1024 * 1024, `${held} bytes held`)
  let got = 0
  client.on('data', (chunk: Buffer) => {
    got += chunk.length
  })
  await once(client.resume(), 'end')
  client.end()
  assert.equal(got, size)
  assert.equal((await done).down, size)
})

test('relay() ends both sides when one is reset, and when nothing passes', async () => {
  const [client, inner] = await openPair()
  const [outer, host] = await openPair()
  const reset = relay(inner, outer, { first: Buffer.from('x'), idleMs: 300_000 })
  host.resetAndDestroy()
  await Promise.all([reset, once(client.resume(), 'end')])

  const [quiet, inside] = await openPair()
  const [outside] = await openPair()
  const idle = relay(inside, outside, { first: Buffer.alloc(0), idleMs: 50 })
  await Promise.all([idle, once(quiet.resume(), 'end')])
  assert.ok(inside.destroyed && outside.destroyed)
})
