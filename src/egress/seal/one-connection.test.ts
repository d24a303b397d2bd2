import assert from 'node:assert/strict'
import { type ClientRequest, request } from 'node:http'
import { Socket } from 'node:net'
import test from 'node:test'
import type { TLSSocket } from 'node:tls'
import { oneConnection } from './one-connection.ts'

const ended = async (one: ClientRequest): Promise<boolean> => {
  one.on('error', () => undefined)
  return await new Promise((resolve) => {
    one.once('close', () => resolve(true))
    setTimeout(resolve, 1000, false)
  })
}

test('oneConnection() ends a request that comes after the connection, or that waits when it ends', async () => {
  const outer = new Socket() as TLSSocket
  const agent = oneConnection(outer)
  const [first, waiting] = [request({ agent }), request({ agent })]
  first.on('error', () => undefined)
  const isEnded = ended(waiting)
  outer.destroy()
  assert.equal(await isEnded, true)
  assert.equal(await ended(request({ agent })), true)
})
