/** Websites and other programs in between on the paths of the gateway: refused by the head alone, no server contacted. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import {
  bearer,
  type GatewayCordon,
  openGatewayCordon,
  post,
  textOf,
  toolCall,
} from '../fixtures/gateway-cordon.ts'

const COUNTER = { counter: ['counter'] } as const

/** Calls that have reached the server, this one not counted. */
async function calls(gateway: GatewayCordon): Promise<number> {
  const headers = bearer(gateway.tokenOf('two'))
  const { body } = await post(gateway.url, toolCall('counter__count', {}), { headers })
  return (JSON.parse(textOf(body)) as { readonly calls: number }).calls
}

test('GATE-1: a foreign host or any page is refused on every path and method, before the token and without a server', async () => {
  await using gateway = await openGatewayCordon(COUNTER, ['one', 'two'])
  const { host, port, origin } = new URL(gateway.url)
  const own = { ...bearer(gateway.tokenOf('one')), Accept: 'text/event-stream' }
  const foreign: readonly Readonly<Record<string, string>>[] = [
    { Host: `evil.example:${port}` },
    { Host: `localhost.evil.example:${port}` },
    { Host: `127.0.0.1.evil.example:${port}` },
    { Host: `0.0.0.0:${port}` },
    { Host: '127.0.0.1' },
    { Host: `127.0.0.1:${Number(port) + 1}` },
    { Origin: 'http://evil.example' },
    { Origin: 'null' },
    { Origin: '' },
    { Origin: origin },
    { Origin: `https://${host}` },
    { Origin: `http://localhost:${port}` },
  ]
  const before = await calls(gateway)
  const places = [
    ['POST', '/mcp'],
    ['GET', '/mcp'],
    ['DELETE', '/mcp'],
    ['OPTIONS', '/mcp'],
    ['GET', '/sse'],
    ['POST', '/messages?sessionId=x'],
  ] as const
  for (const [method, place] of places) {
    for (const headers of foreign) {
      for (const token of [own, {}]) {
        const body = method === 'POST' ? toolCall('counter__echo', { text: 'x' }) : ''
        const url = new URL(place, gateway.url).href
        const answer = await post(url, body, { method, headers: { ...token, ...headers } })
        const where = `${method} ${place} ${JSON.stringify(headers)}`
        assert.equal(answer.status, 403, where)
        const told = Object.keys(answer.headers).join()
        assert.doesNotMatch(told, /access-control|mcp-session|www-authenticate/, where)
      }
    }
  }
  assert.equal(await calls(gateway), before + 1)
})

test('GATE-1: requests that two readers could read in two ways are refused, and no server is contacted', async () => {
  await using gateway = await openGatewayCordon(COUNTER, ['one', 'two'])
  const { host, hostname, port } = new URL(gateway.url)
  const text = JSON.stringify(toolCall('counter__echo', { text: 'x' }))
  const token = `Authorization: Bearer ${gateway.tokenOf('one')}`
  const length = `Content-Length: ${text.length}`
  const good = [`Host: ${host}`, token, length]
  const heads: readonly (readonly string[])[] = [
    ['POST /mcp HTTP/1.1', token, length],
    ['POST /mcp HTTP/1.1', `Host: evil.example`, ...good],
    ['POST /mcp HTTP/1.1', ...good, 'Transfer-Encoding: chunked'],
    ['POST /mcp HTTP/1.1', ...good, `Content-Length: ${text.length - 1}`],
    ['POST /mcp HTTP/1.1', `Host: ${host}`, length, `X: y\nAuthorization: ${token.slice(15)}`],
    ['POST http://evil.example/mcp HTTP/1.1', ...good],
    ['POST //evil.example/mcp HTTP/1.1', ...good],
    ['POST /mcp%2f HTTP/1.1', ...good],
    ['POST /MCP HTTP/1.1', ...good],
    ['POST /mcp HTTP/3.0', ...good],
  ]
  const before = await calls(gateway)
  for (const head of heads) {
    const socket = connect(Number(port), hostname)
    socket.write([...head, 'Connection: close', '', text].join('\r\n'))
    const answer = Buffer.concat((await socket.toArray()) as Buffer[]).toString()
    assert.match(answer, /^HTTP\/1\.1 4\d\d /, `${head.join(' | ')}: ${answer.slice(0, 200)}`)
  }
  // And the same by the book.
  const socket = connect(Number(port), hostname)
  socket.write(['POST /mcp HTTP/1.1', ...good, 'Connection: close', '', text].join('\r\n'))
  assert.match(Buffer.concat((await socket.toArray()) as Buffer[]).toString(), /^HTTP\/1\.1 200 /)
  assert.equal(await calls(gateway), before + 2)
})
