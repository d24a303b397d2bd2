/** The listeners: access to the socket, and ports that are taken. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, lstat, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { codeIn, JSON_BODY, openTestWeb, request, send } from './fake-client.ts'
import { createFakeDeps } from './fake-deps.ts'
import { openWeb } from './open-web.ts'

describe('the socket', () => {
  test('answers the owner, also with what a browser may not ask', async (t) => {
    const link = { url: 'u', expiresAt: 'e' }
    const { socketPath } = await openTestWeb(t, { 'page.link': async () => link })
    const ask = (route: string, body = '{}') =>
      send({ path: socketPath }, request(`POST /api/${route}`, ['Host: cordon', JSON_BODY], body))
    assert.match(await ask('ping'), /^HTTP\/1\.1 200 [^]*\{"version":"1","pid":2\}$/)
    assert.match(await ask('page.link'), /^HTTP\/1\.1 200 [^]*"url":"u"/)
    assert.equal(codeIn(await ask('nothing')), '404 web.not-found')
    assert.equal(codeIn(await ask('ping', '{')), '400 web.json')
    assert.equal(codeIn(await ask('session/enter')), '404 web.not-found')
  })

  test('refuses what no command line sends', async (t) => {
    const { socketPath, calls } = await openTestWeb(t)
    const ask = async (line: string, ...headers: string[]) =>
      codeIn(await send({ path: socketPath }, request(line, headers, '{}')))
    assert.equal(await ask('POST /api/ping', 'Host: localhost', JSON_BODY), '421 web.host')
    assert.equal(await ask('GET /', 'Host: cordon', JSON_BODY), '405 web.method')
    assert.equal(
      await ask('POST /api/ping', 'Host: cordon', JSON_BODY, 'Origin: http://127.0.0.1'),
      '403 web.origin',
    )
    assert.equal(await ask('POST /api/ping', 'Host: cordon'), '415 web.content-type')
    assert.deepEqual(calls, [])
  })

  test('answers with the safe headers, logs a bug, and records who is turned away', async (t) => {
    const { socketPath, events, lines } = await openTestWeb(t, {
      status: () => Promise.reject(new RangeError('hunter2')),
    })
    const ask = (host: string) =>
      send({ path: socketPath }, request('POST /api/status', [`Host: ${host}`, JSON_BODY], '{}'))
    const refused = await ask('evil.example')
    const broken = await ask('cordon')
    assert.deepEqual([codeIn(refused), codeIn(broken)], ['421 web.host', '500 kernel.bug'])
    for (const answer of [refused, broken]) {
      assert.match(answer, /^cache-control: no-store\r$/im)
      assert.doesNotMatch(answer, /hunter2|\.ts:/)
    }
    assert.deepEqual(
      events.map(({ kind, subject }) => `${kind} ${subject}`),
      ['web.refused web.host'],
    )
    assert.match(String(lines[0]?.fields?.['error']), /hunter2/)
  })

  test('nobody is answered before there is an API, and then everybody who waited is', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'cordon-web-'))
    t.after(() => rm(folder, { recursive: true }))
    const deps = createFakeDeps()
    const socketPath = join(folder, 'cordon.sock')
    await using web = await openWeb({ ...deps, socketPath, port: 0 })
    const port = Number(new URL(web.page).port)
    const asked = send({ port }, request('GET /', [`Host: 127.0.0.1:${port}`]))
    await assert.rejects(lstat(socketPath), { code: 'ENOENT' })
    const served = await web.serve(deps.api)
    assert.match(await asked, /^HTTP\/1\.1 200 /)
    assert.ok((await lstat(socketPath)).isSocket())
    await served[Symbol.asyncDispose]()
    await assert.rejects(send({ port, host: '127.0.0.1' }), { code: 'ECONNREFUSED' })
  })

  test('is its owner’s alone, and so is its folder', async (t) => {
    const { socketPath, folder } = await openTestWeb(t)
    assert.equal((await lstat(socketPath)).mode & 0o777, 0o600)
    assert.equal((await lstat(join(folder, 'run'))).mode & 0o777, 0o700)
  })

  test('WEB-5: cannot be opened by another user, even where its folder is open', async (t) => {
    if (process.getuid?.() !== 0) return t.skip('only root can become another user')
    const { socketPath, folder } = await openTestWeb(t)
    const knock = () => {
      const script =
        'const s = require("net").connect(process.argv[1]);' +
        's.on("connect", () => { console.log("connected"); s.destroy() });' +
        's.on("error", (e) => console.log(e.code))'
      const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups']
      const args = [...nobody, process.execPath, '-e', script, socketPath]
      return spawnSync('setpriv', args, { encoding: 'utf8' }).stdout.trim()
    }
    assert.equal(knock(), 'EACCES')
    await chmod(folder, 0o755)
    await chmod(join(folder, 'run'), 0o755)
    assert.equal(knock(), 'EACCES')
    await chmod(socketPath, 0o666)
    assert.equal(knock(), 'connected') // so it was the mode that kept the other user out
  })

  test('takes the place of one that a dead process left, and closes an open folder', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'cordon-web-'))
    t.after(() => rm(folder, { recursive: true }))
    const run = join(folder, 'run')
    await mkdir(run)
    await chmod(run, 0o777)
    const socketPath = join(run, 'cordon.sock')
    await writeFile(socketPath, '')
    const deps = createFakeDeps()
    await using web = await openWeb({ ...deps, socketPath, port: 0 })
    await web.serve(deps.api)
    assert.ok((await lstat(socketPath)).isSocket())
    assert.equal((await stat(run)).mode & 0o777, 0o700)
  })

  test('is not made behind a link, nor where its path is too long; then the port is free again', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'cordon-web-'))
    t.after(() => rm(folder, { recursive: true }))
    await mkdir(join(folder, 'elsewhere'))
    await symlink(join(folder, 'elsewhere'), join(folder, 'run'))
    const port = await freePort()
    const openAt = async (socketPath: string) => {
      const deps = createFakeDeps()
      await using web = await openWeb({ ...deps, socketPath, port })
      await web.serve(deps.api)
    }
    await assert.rejects(openAt(join(folder, 'run', 'cordon.sock')), { code: 'web.socket' })
    await assert.rejects(openAt(join(folder, 'x'.repeat(100))), { code: 'web.socket-path' })
    await assert.rejects(send({ port, host: '127.0.0.1' }), { code: 'ECONNREFUSED' })
  })
})

describe('the port', () => {
  test('that is taken gives way to the next free one, and the log says so', async (t) => {
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    t.after(() => blocker.close())
    const taken = (blocker.address() as AddressInfo).port
    const { port, web, lines } = await openTestWeb(t, {}, taken)
    assert.ok(port > taken && port <= taken + 20)
    assert.match(lines[0]?.message ?? '', new RegExp(`Port ${taken} is taken.*${web.page}`))
    assert.ok(web.createLink().url.startsWith(`${web.page}/#enter=`))
    assert.match(await send({ port }, request('GET /', [`Host: 127.0.0.1:${port}`])), / 200 /)
  })
})

describe('the name localhost', () => {
  test('is ours on both addresses', async (t) => {
    const { port } = await openTestWeb(t)
    for (const host of ['127.0.0.1', '::1']) {
      const answer = await send({ port, host }, request('GET /', [`Host: localhost:${port}`]))
      assert.match(answer, /^HTTP\/1\.1 200 /, host)
    }
  })

  test('is never shared: a port that another program holds on one address is not taken', async (t) => {
    const squatter = createServer((socket) => void socket.end('mine')).listen(0, '::1')
    await once(squatter, 'listening')
    t.after(() => squatter.close())
    const taken = (squatter.address() as AddressInfo).port
    const { port } = await openTestWeb(t, {}, taken)
    assert.ok(port > taken && port <= taken + 20)
    await assert.rejects(send({ port: taken, host: '127.0.0.1' }), { code: 'ECONNREFUSED' })
    const [host, asked] = ['::1', request('GET /', [`Host: localhost:${port}`])]
    assert.match(await send({ port, host }, asked), /^HTTP\/1\.1 200 /)
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
