import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { createHttpTransport } from './http-transport.ts'

const EVENT = Buffer.from(`data: ${'x'.repeat(2 ** 20)}\n\n`)
const ENOUGH = 40

/** Sends one message to a server that answers with a long stream of events; counts the events that were read. */
async function eventsTaken(message: JSONRPCMessage, status: number): Promise<number> {
  let taken = 0
  const done = Promise.withResolvers<void>()
  const body = new ReadableStream({
    pull(controller) {
      taken += 1
      if (taken <= ENOUGH) return controller.enqueue(EVENT)
      controller.close()
      done.resolve()
    },
    cancel: () => done.resolve(),
  })
  const headers = { 'content-type': 'text/event-stream' }
  const fetch = async (): Promise<Response> => new Response(body, { status, headers })
  const url = new URL('https://allowed.example/mcp')
  const { transport } = await createHttpTransport({ kind: 'stream-http', url, fetch }, {})
  await transport.start()
  await transport.send(message).catch(() => undefined)
  await done.promise
  await transport.close()
  return taken
}

const REQUEST = { jsonrpc: '2.0', id: 1, method: 'tools/list' } as const
const NOTIFICATION = { jsonrpc: '2.0', method: 'notifications/initialized' } as const
const ANSWER = { jsonrpc: '2.0', id: 1, result: {} } as const

test('a request may be answered by as many events as there are', async () => {
  assert.ok((await eventsTaken(REQUEST, 200)) > ENOUGH)
})

for (const [what, message, status] of [
  ['a notification', NOTIFICATION, 200],
  ['a notification, accepted', NOTIFICATION, 202],
  ['an answer', ANSWER, 200],
  ['a request, refused', REQUEST, 400],
  ['a request, accepted', REQUEST, 202],
] as const) {
  test(`what comes back for ${what} (${status}) is held, and so cut off at the limit`, async () => {
    assert.ok((await eventsTaken(message, status)) < 20)
  })
}
