import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { type EventStream, openEventStream } from './event-stream.ts'

/** A stream of which the client has read nothing but the head, with more unread than the system takes. */
async function openStalled(isWelcome: () => Promise<boolean>, revoked: AbortSignal) {
  const opened = Promise.withResolvers<EventStream>()
  const server = createServer((_request, response) => {
    opened.resolve(openEventStream(response, { isWelcome, revoked }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const stream = await opened.promise
  stream.send({ text: 'x'.repeat(12 * 2 ** 20) })
  return {
    stream,
    [Symbol.dispose]() {
      socket.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}

/** As SECURITY.md promises. */
const SECOND_MS = 1000

const isWelcome = async (): Promise<boolean> => true
const never = new AbortController().signal

async function hasClosed({ closed }: EventStream, withinMs: number): Promise<boolean> {
  const late = new Promise<false>((resolve) => {
    setTimeout(() => resolve(false), withinMs).unref()
  })
  return await Promise.race([closed.then(() => true as const), late])
}

test('CLIENT-1: the stream of a client that was removed is gone at once, whatever it has not read', async () => {
  const removing = new AbortController()
  using stalled = await openStalled(isWelcome, removing.signal)
  removing.abort()
  assert.ok(await hasClosed(stalled.stream, SECOND_MS))
  using late = await openStalled(isWelcome, AbortSignal.abort())
  assert.ok(await hasClosed(late.stream, SECOND_MS))
})

test('CLIENT-1: so is the stream of a token that ran out, at the next look', async () => {
  using stalled = await openStalled(async () => false, never)
  assert.ok(await hasClosed(stalled.stream, 5 * SECOND_MS))
})

test('a stream that is closed while its client does not read is gone within a second or so', async () => {
  using stalled = await openStalled(isWelcome, never)
  stalled.stream.close()
  stalled.stream.send({ text: 'dropped' })
  assert.ok(await hasClosed(stalled.stream, 5 * SECOND_MS))
})
