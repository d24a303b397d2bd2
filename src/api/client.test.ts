import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { createClient, findSocketApi, type KernelSource } from './client.ts'

test('a request that its caller gave up ends with his reason, any other with what to do', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-socket-'))
  const file = path.join(folder, 's')
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      if (bytes.includes('/api/ping ')) socket.end('HTTP/1.1 200 OK\r\n\r\n{"pid":1}')
      else if (bytes.includes('/api/status ')) socket.destroy()
      else controller.abort()
    })
  })
  const controller = new AbortController()
  try {
    await new Promise<void>((resolve) => void server.listen(file, resolve))
    const api = await findSocketApi(file)
    assert.ok(api)
    const givenUp = api.call('mcp.list', {}, controller.signal)
    await assert.rejects(givenUp, { name: 'AbortError' })
    await assert.rejects(api.call('status', {}), { code: 'cli.kernel-gone' })
  } finally {
    server.close()
    await rm(folder, { recursive: true })
  }
})

test('a home that is too deep for a socket is told as such', async () => {
  const file = path.join(tmpdir(), 'deep'.repeat(40), 's')
  await assert.rejects(findSocketApi(file), { code: 'cli.kernel-gone', hint: /shorter path/ })
})

test('a socket whose process is ending is asked again, until nobody listens or another kernel does', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-socket-'))
  const file = path.join(folder, 's')
  let hangUps = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    hangUps += 1
    if (hangUps === 4) server.close()
    socket.destroy()
  })
  try {
    await new Promise<void>((resolve) => void server.listen(file, resolve))
    assert.equal(await findSocketApi(file), undefined)
    assert.equal(hangUps, 4)
  } finally {
    server.close()
    await rm(folder, { recursive: true })
  }
})

test('a kernel that lost the home to one that was ending is started again', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-socket-'))
  const socketPath = path.join(folder, 's')
  const answering = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n{"pid":2}'))
  })
  let starts = 0
  const start: KernelSource['start'] = async () => {
    const number = (starts += 1)
    if (number === 2) await new Promise<void>((done) => void answering.listen(socketPath, done))
    return {
      pid: number,
      lastWords: () => (number === 1 ? '{"error":{"code":"home.locked","exit":4}}' : undefined),
      stop: () => undefined,
      [Symbol.dispose]: () => undefined,
    }
  }
  const open = () => Promise.reject(new Error('not asked for'))
  try {
    await using _api = await createClient({ socketPath, open, start }).startKernel()
    assert.equal(starts, 2)
  } finally {
    answering.close()
    await rm(folder, { recursive: true })
  }
})
