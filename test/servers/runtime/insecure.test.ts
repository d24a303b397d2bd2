/** Plain http for a server on this machine: only where the definition allows it, and never to another machine. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { listen } from '../../../src/egress/test-outside.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { never } from './direct-sandbox.ts'
import { createSseServer, createStreamServer, openRemote, remote } from './http-server.ts'

const id = parseServerId('it')
const direct = { connect: (address: string, port: number) => connect({ host: address, port }) }

for (const [kind, create] of [
  ['stream-http', createStreamServer],
  ['sse', createSseServer],
] as const) {
  test(`${kind} speaks plain http with this machine where its definition allows it, else not at all`, async () => {
    const { listener } = create()
    const server = createServer(listener)
    const port = await listen(server)
    const url = `http://127.0.0.1:${port}/mcp`
    const open = (more: object) =>
      openRemote(remote({ transport: kind, url, ...more }), listener, {}, direct)
    {
      await using house = await open({ dangerouslyAllowHttp: true })
      assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
    }
    await using house = await open({})
    await assert.rejects(house.servers.start(id, never), {
      code: 'servers.insecure',
      hint: /cordon mcp edit it --insecure/,
    })
    assert.deepEqual(house.outside.reached, [])
    server.close().closeAllConnections()
  })
}

test('a server that is said to be on this machine needs the same word over https', async () => {
  const definition = remote({ url: 'https://localhost/mcp' })
  await using house = await openRemote(definition, () => undefined)
  await assert.rejects(house.servers.start(id, never), { code: 'servers.insecure' })
  assert.deepEqual(house.outside.dialled, [])
})

test('no definition makes plain http leave this machine', async () => {
  const definition = remote({ url: 'http://allowed.example/mcp', dangerouslyAllowHttp: true })
  await using house = await openRemote(definition, () => undefined)
  await assert.rejects(house.servers.start(id, never), { code: 'egress.not-allowed' })
  assert.deepEqual([house.outside.queries, house.outside.dialled], [[], []])
})
