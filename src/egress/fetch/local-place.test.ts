import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, chown, link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test from 'node:test'
import { createEgress } from '../create-egress.ts'
import { openOutside } from '../test-outside.ts'

const never = new AbortController().signal

interface Place extends AsyncDisposable {
  readonly folder: string
  listen(name: string, server?: Server): Promise<string>
  connect(socketPath: string): Promise<string>
}

/** A folder with servers that listen on sockets in it; each greets every client. */
async function openPlace(): Promise<Place> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-local-'))
  const outside = await openOutside()
  const egress = createEgress(outside.parts())
  const servers: Server[] = []
  return {
    folder,
    async listen(name, server = createServer((socket) => void socket.end('hello'))) {
      const socketPath = path.join(folder, name)
      servers.push(server.listen(socketPath))
      await once(server, 'listening')
      return socketPath
    },
    async connect(socketPath) {
      const socket = await egress.connectLocal({ kind: 'socket', path: socketPath }, never)
      let text = ''
      for await (const chunk of socket) text += String(chunk)
      return text
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.close()
      await outside[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

test('a server on this machine is reached over its socket, also by a link to it', async () => {
  await using place = await openPlace()
  const socketPath = await place.listen('it.sock')
  assert.equal(await place.connect(socketPath), 'hello')
  await symlink(socketPath, path.join(place.folder, 'link'))
  assert.equal(await place.connect(path.join(place.folder, 'link')), 'hello')
})

test('a missing path, a plain file and a socket without a listener each give a clear error', async () => {
  await using place = await openPlace()
  const at = (name: string): string => path.join(place.folder, name)
  await writeFile(at('file'), '')
  const left = createServer()
  await link(await place.listen('first-name', left), at('left'))
  left.close()
  const deep = at('d'.repeat(100))
  await mkdir(deep)
  await symlink(deep, at('short'))
  await place.listen('short/it.sock')
  for (const [name, why] of [
    ['nothing', /there is no such socket/],
    ['file', /it is not a socket/],
    ['.', /it is not a socket/],
    ['left', /nobody answers there/],
    ['short/it.sock', /it is longer than 107 bytes/],
  ] as const) {
    const error = { code: 'egress.local-unavailable', message: why }
    await assert.rejects(place.connect(at(name)), error, name)
  }
})

test('EGRESS-4: a socket that another user could have put there is not trusted', async () => {
  await using place = await openPlace()
  const inner = path.join(place.folder, 'open')
  await mkdir(inner)
  const socketPath = await place.listen('open/it.sock')
  const untrusted = { code: 'egress.local-untrusted' }
  for (const mode of [0o777, 0o775, 0o757]) {
    await chmod(inner, mode)
    await assert.rejects(place.connect(socketPath), untrusted, mode.toString(8))
  }
  await chmod(inner, 0o1777)
  assert.equal(await place.connect(socketPath), 'hello', 'nobody may replace what is ours there')
  await chmod(inner, 0o755)
  await chmod(place.folder, 0o777)
  await assert.rejects(place.connect(socketPath), untrusted, 'a folder further up')
  await chmod(place.folder, 0o755)
  if (process.getuid?.() !== 0) return
  await chown(socketPath, 65_534, 65_534)
  await assert.rejects(place.connect(socketPath), untrusted)
  await chown(socketPath, 0, 0)
  await chown(inner, 65_534, 65_534)
  await assert.rejects(place.connect(socketPath), untrusted)
})

test('named pipes are refused where there are none, with the way to do it here', async () => {
  await using outside = await openOutside()
  const place = { kind: 'pipe', path: '\\\\.\\pipe\\mcp-it' } as const
  await assert.rejects(createEgress(outside.parts()).connectLocal(place, never), {
    code: 'egress.no-pipe',
    hint: /uds/,
  })
})

test('a local fetch reaches the socket and nothing else, whatever it is told', async () => {
  await using place = await openPlace()
  const seen: string[] = []
  const server = createHttpServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    const to = request.headers['x-to']
    if (typeof to === 'string') response.writeHead(302, { location: to }).end()
    else response.end('over the socket')
  })
  const socketPath = await place.listen('http.sock', server)
  await using outside = await openOutside()
  const local = createEgress(outside.parts()).createLocalFetch({ kind: 'socket', path: socketPath })
  assert.equal(await (await local('http://localhost/mcp')).text(), 'over the socket')
  for (const url of ['https://allowed.example/', 'http://127.0.0.1/', 'http://localhost:8080/']) {
    await assert.rejects(local(url), { code: 'egress.not-allowed' }, url)
    const headers = { 'x-to': url }
    await assert.rejects(local('http://localhost/away', { headers }), /Cannot/, url)
  }
  assert.deepEqual(seen.slice(0, 2), ['GET /mcp', 'GET /away'])
  assert.deepEqual([outside.reached, outside.queries, outside.dialled], [[], [], []])
  server.closeAllConnections()
})
