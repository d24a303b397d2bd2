/**
 * The domain proxy against a bare Node proxy, alone and behind a socat bridge: new tunnels through each take turns in
 * one run on loopback. All proxies live in this process, the real audit log is on, and the clients and the host that
 * echoes are a second process: this same file, started as a program.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { OWNER } from '../src/kernel/principal.ts'
import { openAudit } from '../src/audit/open-audit.ts'
import { createEgress } from '../src/egress/create-egress.ts'
import { helloFor } from '../src/egress/proxy/test-hello.ts'
import type { Audit, Log, Redactor } from '../src/kernel/ports.ts'
import { parseServerId } from '../src/kernel/server-id.ts'
import { type BenchReport, quantile } from './report.ts'

const ROUNDS = 1500
const CLIENTS = 16
const CROWD_MS = 4000
const BLOCKED = 10_000
const HOST = 'bench.example'

interface Way {
  readonly port: number
  /** The target of the CONNECT request; undefined connects straight to the host. */
  readonly target?: string
}

type Order =
  | { readonly kind: 'echo' }
  | { readonly kind: 'turns'; readonly ways: readonly Way[]; readonly rounds: number }
  | { readonly kind: 'crowd'; readonly way: Way; readonly ms: number }
  | { readonly kind: 'blocked'; readonly port: number; readonly count: number }

const log: Log = { info: () => {}, warn: () => {}, error: () => {} }
const redactor: Redactor = {
  redact: (text) => text,
  stream: () => ({ push: (chunk) => Buffer.from(chunk), end: () => Buffer.alloc(0) }),
}

export async function run(): Promise<BenchReport> {
  const cache = fileURLToPath(new URL('../.cache/', import.meta.url))
  mkdirSync(cache, { recursive: true })
  const home = mkdtempSync(path.join(cache, 'bench-egress-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(home, { recursive: true }))
  const audit = stack.use(
    await openAudit({
      owner: OWNER.id,
      folder: path.join(home, 'audit'),
      anchorPath: path.join(home, 'audit-head'),
      redactor,
      log,
    }),
  )
  const child = stack.adopt(fork(fileURLToPath(import.meta.url)), (started) => void started.kill())
  const echo = await ask<number>(child, { kind: 'echo' })
  const ours: Way = { port: await openOurs(audit, echo, stack), target: `${HOST}:443` }
  const bare: Way = { port: await openBare(echo, 0, stack), target: `127.0.0.1:${echo}` }
  const bridge = await openBridge(path.join(home, 'bare.sock'), echo, stack)
  return await measure(child, [{ port: echo }, bare, ours, bridge])
}

async function measure(
  child: ChildProcess,
  [direct, bare, ours, bridge]: readonly [Way, Way, Way, Way | undefined],
): Promise<BenchReport> {
  const ways = [direct, bare, ours, ...(bridge ? [bridge] : [])]
  const barePerSecond = await ask<number>(child, { kind: 'crowd', way: bare, ms: CROWD_MS })
  const perSecond = await ask<number>(child, { kind: 'crowd', way: ours, ms: CROWD_MS })
  const samples = await ask<number[][]>(child, { kind: 'turns', ways, rounds: ROUNDS })
  const at = (way: number, share: number): number => quantile(samples[way] ?? [], share)
  const grown = await measureGrowth(child, ours.port)
  const overBridge = bridge ? at(2, 0.5) / at(3, 0.5) : Number.POSITIVE_INFINITY
  return {
    figures: [
      { name: 'direct, no proxy p50', value: at(0, 0.5), unit: 'ms' },
      { name: 'bare Node proxy p50', value: at(1, 0.5), unit: 'ms' },
      { name: 'domain proxy p50', value: at(2, 0.5), unit: 'ms' },
      { name: 'domain proxy p99', value: at(2, 0.99), unit: 'ms' },
      { name: 'bare Node proxy behind socat p50', value: at(3, 0.5), unit: 'ms' },
      { name: 'bare Node proxy, 16 clients', value: barePerSecond, unit: '/s' },
    ],
    bars: [
      bar('new CONNECT p50 vs bare Node proxy', at(2, 0.5) / at(1, 0.5), '×', 1.15),
      bar('new CONNECT p50 vs the same behind socat', overBridge, '×', 0.5),
      { ...bar('new CONNECTs, 16 clients', perSecond, '/s', 3000), kind: 'least' },
      bar('added by the proxy, p99 over direct p50', at(2, 0.99) - at(0, 0.5), 'ms', 5),
      bar('memory after 10,000 blocked attempts', grown, 'MB', 5),
    ],
  }
}

function bar(
  name: string,
  value: number,
  unit: string,
  limit: number,
): BenchReport['bars'][number] {
  return { name, value, unit, limit, kind: 'most' }
}

/** Megabytes still held after a garbage collection, beyond those held after the first thousand attempts. */
async function measureGrowth(child: ChildProcess, port: number): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const held = async (): Promise<number> => {
    await sleep(200)
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  await ask(child, { kind: 'blocked', port, count: 1000 })
  const before = await held()
  await ask(child, { kind: 'blocked', port, count: BLOCKED })
  return Math.max(0, (await held()) - before) / 1e6
}

async function openOurs(audit: Audit, echo: number, stack: AsyncDisposableStack): Promise<number> {
  const server = createServer()
  const egress = createEgress({
    owner: OWNER.id,
    audit,
    log,
    resolve: async () => ['127.0.0.1'],
    connect: (host) => connect({ host, port: echo, noDelay: true, allowHalfOpen: true }),
    limits: { newPerSecond: 1e9, tunnels: 1024 },
    dangerouslyAllowAddress: (address) => address === '127.0.0.1',
  })
  const rules = { allowedDomains: [HOST] }
  const source = {
    onConnection: (take: (socket: Socket) => void) => void server.on('connection', take),
  }
  stack.use(egress.guard(parseServerId('bench'), rules, source, () => {}))
  return await listen(server, 0, stack)
}

/** The simplest CONNECT proxy, without any check: the baseline. */
async function openBare(
  echo: number,
  where: number | string,
  stack: AsyncDisposableStack,
): Promise<number> {
  const server = createHttpServer((_, response) => response.writeHead(405).end())
  server.on('connection', (socket) => socket.setNoDelay(true))
  server.on('connect', (request, client, head) => {
    const [host = ''] = (request.url ?? '').split(':')
    const upstream = connect({ host, port: echo, noDelay: true }, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      if (head.length > 0) upstream.write(head)
      client.pipe(upstream).pipe(client)
    })
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    upstream.on('error', end).once('close', end)
    client.on('error', end).once('close', end)
  })
  return await listen(server, where, stack)
}

/** Undefined, with a message on stderr, where socat is not installed. */
async function openBridge(
  socketPath: string,
  echo: number,
  stack: AsyncDisposableStack,
): Promise<Way | undefined> {
  await openBare(echo, socketPath, stack)
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  const listenOn = `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr,backlog=1024`
  const socat = spawn('socat', [listenOn, `UNIX-CONNECT:${socketPath}`], { stdio: 'ignore' })
  const failed = await Promise.race([once(socat, 'error'), sleep(500, undefined)])
  if (failed !== undefined) {
    process.stderr.write('socat is not installed: its bar is MISSED (apt-get install socat)\n')
    return undefined
  }
  stack.defer(() => void socat.kill())
  return { port, target: `127.0.0.1:${echo}` }
}

async function listen(
  server: Server,
  where: number | string,
  stack: AsyncDisposableStack,
): Promise<number> {
  if (typeof where === 'string') server.listen({ path: where, backlog: 1024 })
  else server.listen({ port: where, host: '127.0.0.1', backlog: 1024 })
  await once(server, 'listening')
  stack.defer(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function ask<T>(child: ChildProcess, order: Order): Promise<T> {
  child.send(order)
  const [answer] = (await once(child, 'message')) as [T]
  return answer
}

// From here on: the second process.

const hello = helloFor(HOST)

/** Connect, CONNECT, send a hello, get it back, close. In milliseconds. */
async function takeWay({ port, target }: Way): Promise<number> {
  const began = performance.now()
  const done = Promise.withResolvers<void>()
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let isOpen = target === undefined
  let left = hello.length
  if (target === undefined) socket.write(hello)
  else socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
  socket.on('data', (chunk: Buffer) => {
    if (isOpen) left -= chunk.length
    else if (chunk.includes('\r\n\r\n')) {
      isOpen = true
      if (chunk.toString('latin1', 9, 12) !== '200') done.reject(new Error(chunk.toString()))
      socket.write(hello)
    }
    if (left === 0) done.resolve()
  })
  socket.on('error', done.reject)
  await done.promise
  const took = performance.now() - began
  socket.destroy()
  return took
}

async function takeTurns(ways: readonly Way[], rounds: number): Promise<number[][]> {
  const samples = ways.map((): number[] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, way] of ways.entries()) {
      samples[index]?.push(await takeWay(way))
      await sleep(1) // so that closing one tunnel does not slow the next
    }
  }
  return samples
}

async function crowd(way: Way, ms: number): Promise<number> {
  const began = performance.now()
  let done = 0
  async function client(): Promise<void> {
    while (performance.now() - began < ms) {
      await takeWay(way)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return (done / (performance.now() - began)) * 1000
}

async function tryBlocked(port: number, count: number): Promise<number> {
  let left = count
  async function client(): Promise<void> {
    while (left > 0) {
      left -= 1
      const socket = connect(port, '127.0.0.1')
      socket.end(`CONNECT x${left}.evil.example:443 HTTP/1.1\r\n\r\n`)
      await once(socket.resume(), 'close')
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return count
}

async function echo(): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {}).pipe(socket)
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function obey(order: Order): Promise<unknown> {
  if (order.kind === 'echo') return await echo()
  if (order.kind === 'turns') return await takeTurns(order.ways, order.rounds)
  if (order.kind === 'crowd') return await crowd(order.way, order.ms)
  return await tryBlocked(order.port, order.count)
}

if (process.send !== undefined && import.meta.main) {
  process.on('message', (order: Order) => {
    void obey(order).then((answer) => process.send?.(answer))
  })
}
