/** The real listeners: raw bytes in, and how each connection ends. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { lstat } from 'node:fs/promises'
import { Server } from 'node:http'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { codeIn, JSON_BODY, openTestWeb, request, send } from './fake-client.ts'

describe('the port', () => {
  test('opens without replacing what the whole program shares', async (t) => {
    const { Request, Response } = globalThis
    await openTestWeb(t)
    assert.deepEqual([globalThis.Request, globalThis.Response], [Request, Response])
  })

  test('answers the page', async (t) => {
    const { port } = await openTestWeb(t)
    const answer = await send({ port }, request('GET /', [`Host: 127.0.0.1:${port}`]))
    assert.match(answer, /^HTTP\/1\.1 200 [^]*<title>Cordon<\/title>/)
    const absolute = await send(
      { port },
      request(`GET http://127.0.0.1:${port}/`, [`Host: 127.0.0.1:${port}`]),
    )
    assert.match(absolute, /^HTTP\/1\.1 200 /)
  })

  test('is on this machine only', async (t) => {
    const { port } = await openTestWeb(t)
    await assert.rejects(send({ port, host: '127.0.0.2' }), { code: 'ECONNREFUSED' })
  })

  test('refuses each of these for its own reason', async (t) => {
    const { port, calls, web } = await openTestWeb(t)
    const host = `Host: 127.0.0.1:${port}`
    const origin = `Origin: http://127.0.0.1:${port}`
    const honest = [host, origin, JSON_BODY]
    const token = web.createLink().url.split('#enter=')[1]
    const entered = await send(
      { port },
      request('POST /api/session/enter', honest, JSON.stringify({ token })),
    )
    const cookie = `Cookie: ${/set-cookie: ([^;]+)/i.exec(entered)?.[1]}`
    const csrf = `X-Cordon-Csrf: ${/"csrf":"([^"]+)"/.exec(entered)?.[1]}`
    const ask = async (line: string, ...headers: string[]) =>
      codeIn(await send({ port }, request(line, headers, '{}')))
    const PING = 'POST /api/ping'

    assert.equal(await ask(PING, ...honest, cookie, csrf), '200 -')
    assert.equal(calls.length, 1)
    assert.equal(await ask(PING, ...honest, cookie, cookie, csrf), '401 web.session')
    assert.equal(await ask(PING, ...honest, cookie, csrf, csrf), '403 web.csrf')
    assert.equal(await ask(PING, ...honest, origin, cookie, csrf), '403 web.origin')
    assert.equal(await ask(PING, ...honest, JSON_BODY, cookie, csrf), '415 web.content-type')
    assert.match(await ask(PING, 'Host: a', ...honest, cookie, csrf), /^421 web\.host$/)
    assert.match(await ask(PING, ...honest, 'Host: a', cookie, csrf), /^421 web\.host$/)
    assert.equal(await ask('POST http://a/api/ping', ...honest, cookie, csrf), '421 web.host')
    assert.equal(await ask(PING, 'Host: a b', origin, JSON_BODY, cookie, csrf), '421 web.host')
    assert.equal(await ask('TRACE /', host), '405 web.method')
    assert.equal(await ask('HEAD /', host), '405 -') // an answer to HEAD has no body
    assert.equal(await ask('OPTIONS /api/ping', host, 'Origin: http://a'), '405 web.method')
    assert.equal(await ask('OPTIONS *', host), '421 web.host')
    assert.equal(await ask('CONNECT a:1', host), 'undefined -') // the server hung up
    assert.equal(await ask('GET /../../etc/passwd', host), '404 web.not-found')
    assert.equal(await ask('GET /..\\app.js', host), '421 web.host')
    assert.equal(await ask(PING, ...honest, 'Transfer-Encoding: chunked'), '400 -')
    assert.equal(await ask('GET /', host, `X: ${'x'.repeat(17_000)}`), '431 -')
    assert.equal(codeIn(await send({ port }, 'GET / HTTP/1.0\r\n\r\n')), '421 web.host')
    assert.equal(calls.length, 1)
  })

  test('stops reading a body without length at the limit', async (t) => {
    const { port, web, calls } = await openTestWeb(t)
    const head = [
      `Host: 127.0.0.1:${port}`,
      `Origin: ${web.page}`,
      JSON_BODY,
      'Transfer-Encoding: chunked',
    ]
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    const opening = ['POST /api/session/enter HTTP/1.1', ...head, '', ''].join('\r\n')
    const answer = await send({ port }, opening, ...Array<string>(17).fill(chunk))
    assert.equal(codeIn(answer), '413 web.too-large')
    assert.deepEqual(calls, [])
  })

  test('does not call it a bug when a client leaves in the middle of its body', async (t) => {
    const { port, web, lines } = await openTestWeb(t)
    const head = [`Host: 127.0.0.1:${port}`, `Origin: ${web.page}`, JSON_BODY, 'Content-Length: 9']
    const socket = connect(port, '127.0.0.1')
    socket.write(['POST /api/session/enter HTTP/1.1', ...head, '', '{'].join('\r\n'))
    await pause(50)
    socket.resetAndDestroy()
    await pause(50)
    assert.deepEqual(lines, [])
  })
})

describe('a running call', () => {
  test('is told when its client goes away', async (t) => {
    const aborted = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const { socketPath, lines } = await openTestWeb(t, {
      ping: (_input, signal) => {
        started.resolve()
        signal.addEventListener('abort', () => aborted.resolve())
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('gone')))
        })
      },
    })
    const socket = connect(socketPath)
    socket.write(request('POST /api/ping', ['Host: cordon', JSON_BODY], '{}'))
    await started.promise
    socket.destroy()
    await aborted.promise
    await pause(20)
    assert.deepEqual(lines, []) // a client that hangs up is not logged
  })

  test('may finish when the web closes, and nobody new comes in', async (t) => {
    const cut = t.mock.method(Server.prototype, 'closeAllConnections')
    const started = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    const { socketPath, web, port } = await openTestWeb(t, {
      ping: async () => {
        started.resolve()
        await finish.promise
        return { version: 'slow', pid: 1 }
      },
    })
    const keepAlive = `POST /api/ping HTTP/1.1\r\nHost: cordon\r\n${JSON_BODY}\r\nContent-Length: 2\r\n\r\n{}`
    const answer = send({ path: socketPath }, keepAlive)
    await started.promise
    const closed = web[Symbol.asyncDispose]()
    await assert.rejects(send({ port, host: '127.0.0.1' }), { code: 'ECONNREFUSED' })
    finish.resolve()
    await closed
    assert.match(await answer, /"version":"slow"/)
    assert.equal(cut.mock.callCount(), 0, 'a connection kept alive must not delay the end')
    await assert.rejects(lstat(socketPath), { code: 'ENOENT' })
  })

  test('that does not end is cut off', async (t) => {
    const started = Promise.withResolvers<AbortSignal>()
    const { socketPath, web } = await openTestWeb(t, {
      ping: (_input, signal) => {
        started.resolve(signal)
        return new Promise(() => {})
      },
    })
    const answer = send(
      { path: socketPath },
      request('POST /api/ping', ['Host: cordon', JSON_BODY], '{}'),
    )
    const signal = await started.promise
    await web[Symbol.asyncDispose]()
    assert.equal(await answer, '')
    if (!signal.aborted) await once(signal, 'abort')
  })
})
