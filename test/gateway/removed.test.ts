/**
 * All ways in which a client may have a call open, one of them on a stream that it does not read: within a second of its
 * removal the server is told that each of them is cancelled. With PostgreSQL the client is removed at another kernel.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Output } from '../../src/api/contract.ts'
import { findSocketApi } from '../../src/api/client.ts'
import { onlyInFull } from '../../src/kernel/test-rounds.ts'
import { type Cordon, openCordon } from '../fixtures/cordon.ts'
import { startServers } from '../fixtures/gateway-clients.ts'
import { bearer, openLines, post, textOf, toolCall } from '../fixtures/gateway-cordon.ts'
import { openPostgres } from '../fixtures/postgres.ts'
import { until } from '../fixtures/until.ts'

/** As SECURITY.md promises. */
const SECOND_MS = 1000
const SLEEP = toolCall('counter__sleep', { ms: 600_000 }, 7)
const PARAMS = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
}
const INITIALIZE = { jsonrpc: '2.0', id: 1, method: 'initialize', params: PARAMS }

interface Kernel {
  readonly cordon: Cordon
  readonly url: string
}

async function openKernel(cordon: Cordon): Promise<Kernel> {
  await startServers(cordon, { counter: ['counter'] })
  const { url = '' } = await cordon.ask<Output<'clients.list'>>(['client', 'list'])
  return { cordon, url }
}

const tokenOf = ({ home }: Cordon, client: string): string =>
  readFileSync(path.join(home, 'clients', `${client}.key`), 'utf8').trim()

/** The older transport, whose client stops to read after the head while answers still come. */
async function sleepOnStalledStream(url: string, token: string): Promise<Disposable> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  const authorization = `Authorization: Bearer ${token}`
  const head = ['GET /sse HTTP/1.1', `Host: ${hostname}:${port}`, 'Accept: text/event-stream']
  socket.write(`${[...head, authorization].join('\r\n')}\r\n\r\n`)
  let read = ''
  await until(async () => {
    read += String(socket.read() ?? '')
    return read.includes('sessionId=')
  })
  const [, messages = ''] = /data: (\S+)/.exec(read) ?? []
  const say = (message: object) =>
    post(new URL(messages, url).href, message, { headers: bearer(token) })
  await say(INITIALIZE)
  const text = 'x'.repeat(4 * 2 ** 20)
  for (const id of [8, 9, 10]) await say(toolCall('counter__echo', { text }, id))
  await say(SLEEP)
  return { [Symbol.dispose]: () => void socket.destroy() }
}

async function asleep({ url, cordon }: Kernel, token: string) {
  const stack = new DisposableStack()
  stack.use(await sleepOnStalledStream(url, token))
  const leaving = new AbortController()
  stack.defer(() => leaving.abort())
  const posted = post(url, SLEEP, { headers: bearer(token), signal: leaving.signal })
  const lines = openLines(cordon, 'one')
  stack.defer(() => void lines.child.kill())
  lines.write(JSON.stringify(INITIALIZE))
  lines.write(JSON.stringify(SLEEP))
  const ended = Promise.all([posted.catch(() => 'cut'), lines.ended])
  return { ended, [Symbol.dispose]: () => stack[Symbol.dispose]() }
}

async function counts({ url }: Kernel, token: string) {
  const { body } = await post(url, toolCall('counter__count', {}), { headers: bearer(token) })
  return JSON.parse(textOf(body)) as { readonly sleeping: number; readonly cancelled: number }
}

/** The client `one` has three calls open at `at`, and is removed at `by`. */
async function remove(at: Kernel, by: Kernel, isAddedAgain = false): Promise<void> {
  for (const client of ['one', 'two']) await by.cordon.ask(['client', 'add', client])
  const [token, watching] = [tokenOf(by.cordon, 'one'), tokenOf(by.cordon, 'two')]
  const keys = path.join(at.cordon.home, 'clients')
  mkdirSync(keys, { recursive: true, mode: 0o700 })
  writeFileSync(path.join(keys, 'one.key'), `${token}\n`, { mode: 0o600 })
  using open = await asleep(at, token)
  await until(async () => (await counts(at, watching)).sleeping === 3)
  await using api = await findSocketApi(path.join(by.cordon.home, 'run', 'cordon.sock'))
  assert.ok(api)
  await api.call('clients.remove', { name: 'one' })
  const removed = performance.now()
  if (isAddedAgain) await api.call('clients.add', { name: 'one' })
  let cancelled = 0
  while (cancelled < 3 && performance.now() - removed < SECOND_MS) {
    await sleep(50)
    ;({ cancelled } = await counts(at, watching))
  }
  assert.equal(cancelled, 3)
  await open.ended
}

test('CLIENT-1: within a second of its removal nothing of a client goes on, also behind a stream that it does not read', async () => {
  await using cordon = openCordon()
  const kernel = await openKernel(cordon)
  await remove(kernel, kernel)
})

for (const isAddedAgain of [false, true]) {
  const also = isAddedAgain ? ', also if one of its name is added at once' : ''
  test(`CLIENT-1: nor at another kernel on the same PostgreSQL${also}`, onlyInFull, async () => {
    await using postgres = await openPostgres()
    const environment = { DATABASE_URL: postgres.url }
    await using one = openCordon({ environment })
    await using two = openCordon({ environment })
    const [at, by] = [await openKernel(one), await openKernel(two)]
    await remove(at, by, isAddedAgain)
  })
}
