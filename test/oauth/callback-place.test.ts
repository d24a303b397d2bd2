/** The address to which a browser comes back: the port or the whole address that the owner chose. */
import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { AcquirePrompt } from '../../src/setup/connection/acquirer.ts'
import { freePort } from '../fixtures/free-port.ts'
import { type OAuthServer, openOAuthServer } from '../fixtures/oauth-server.ts'
import { never, nobody, openOAuthRooms, requestFor } from './oauth-rooms.ts'
import { CODE_METHOD } from './sign-in-for.ts'

let server: OAuthServer
before(async () => {
  server = await openOAuthServer()
})
after(() => server[Symbol.asyncDispose]())

test('the browser comes back on the port that the owner chose, or to the address they registered', async () => {
  const port = await freePort()
  const own = `http://localhost:${port}/oauth/callback`
  for (const [options, expected] of [
    [{ settings: async () => ({ callbackPort: port }) }, `http://127.0.0.1:${port}/oauth/callback`],
    [{ clients: async () => ({ clientId: 'cordon', redirectUri: own }) }, own],
  ] as const) {
    await using rooms = await openOAuthRooms({ createFetch: server.createFetch, ...options })
    const prompted = Promise.withResolvers<AcquirePrompt>()
    const ended = rooms.acquire.start(requestFor(CODE_METHOD), prompted.resolve, never)
    const page = new URL((await prompted.promise).url)
    assert.equal(page.searchParams.get('redirect_uri'), expected)
    const answer = `${expected}?error=access_denied&state=${page.searchParams.get('state')}`
    assert.equal(await statusOf(answer), 200)
    assert.deepEqual(await ended, { kind: 'failed', reason: 'access was denied' })
  }
})

test('a chosen port that another program has is told as the reason', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  await using rooms = await openOAuthRooms({
    createFetch: server.createFetch,
    settings: async () => ({ callbackPort: port }),
  })
  const reason = `another program uses port ${port}, where the browser comes back`
  assert.deepEqual(await rooms.acquire.start(requestFor(CODE_METHOD), nobody, never), {
    kind: 'unavailable',
    reason,
  })
  taken.close()
})

/** Asks 127.0.0.1 under the name of the address. */
async function statusOf(address: string): Promise<number | undefined> {
  const { host, port, pathname, search } = new URL(address)
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const place = { host: '127.0.0.1', port, path: pathname + search, headers: { host } }
  request(place, (response) => {
    response.resume()
    resolve(response.statusCode)
  })
    .on('error', reject)
    .end()
  return await promise
}
