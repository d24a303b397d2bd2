import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { answerWith, createPortServer, type Fetch } from './http-server.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

async function serve(t: TestContext, fetch: Fetch): Promise<number> {
  const server = createPortServer()
  answerWith(server, fetch, log)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function open(port: number, text = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  if (text !== '') socket.write(text)
  return socket.resume()
}

/** The status line, or nothing where the connection ends without one. */
async function ask(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  let text = ''
  socket.on('data', (chunk) => (text += String(chunk)))
  await once(socket, 'close')
  return text.split('\r\n', 1)[0] ?? ''
}

const ASKING = 'GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n'

for (const [what, sent] of [
  ['say nothing', ''],
  ['send half a request', 'GET / HTTP/1.1\r\nHost: '],
  ['asked once', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
] as const) {
  test(`connections that ${what} keep nobody out, and end no request`, async (t) => {
    const slow = Promise.withResolvers<Response>()
    const port = await serve(t, ({ url }) =>
      url.endsWith('/slow') ? slow.promise : new Response('ok'),
    )
    const asking = await open(port, ASKING)
    const heard = once(asking, 'data')
    for (let count = 0; count < 520; count += 1) await open(port, sent)
    assert.equal(await ask(port), 'HTTP/1.1 200 OK')
    slow.resolve(new Response('done'))
    assert.match(String(await heard), /^HTTP\/1\.1 200/)
  })
}
