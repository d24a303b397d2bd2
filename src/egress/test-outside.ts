/**
 * A fake internet on loopback, for tests: one TLS server that stands for every host, a resolver that counts lookups,
 * and proxies on real sockets. Every dialled address leads to that one server.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { AuditEvent, AuditRecord } from '../kernel/audit-record.ts'
import type { Seal, SealedCredential, ServerProxy } from '../ports/egress-port.ts'
import { OWNER } from '../kernel/principal.ts'
import type { ServerId } from '../kernel/server-id.ts'
import { createEgress, type EgressParts } from './create-egress.ts'
import type { EgressLimits } from './proxy/limits.ts'

const fixtures = new URL('../../test/attacks/proxy/fixtures/', import.meta.url)
export const AUTHORITY: string = readFileSync(new URL('ca.pem', fixtures), 'utf8')
export const CERTIFICATE: string = readFileSync(new URL('server.pem', fixtures), 'utf8')
const KEY = readFileSync(new URL('server-key.pem', fixtures), 'utf8')

export interface TestProxy extends AsyncDisposable {
  readonly port: number
  readonly proxy: ServerProxy
  readonly blocked: string[]
  /** Absent without sealed credentials. */
  readonly seal?: Seal
}

export interface Outside extends AsyncDisposable {
  readonly port: number
  readonly server: HttpsServer
  /** Host names of the TLS connections that reached the server. */
  readonly reached: string[]
  /** Names that were looked up, in order. */
  readonly queries: string[]
  /** Addresses that were dialled, in order. */
  readonly dialled: string[]
  readonly events: AuditEvent[]
  readonly logged: string[]
  /** The answers of the resolver; names that are not here have no address. */
  readonly names: Map<string, readonly string[] | (() => readonly string[])>
  answer: RequestListener
  parts(changes?: Partial<EgressParts>): EgressParts
  openProxy(allowed: readonly string[], changes?: Partial<EgressParts>): Promise<TestProxy>
  openSealed(
    allowed: readonly string[],
    sealed: readonly SealedCredential[],
    limits?: Partial<EgressLimits>,
  ): Promise<TestProxy>
}

export async function openOutside(): Promise<Outside> {
  const sockets = new Set<Socket>()
  const server = createHttpsServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
    outside.answer(request, response)
  })
  server.keepAliveTimeout = 120_000 // else a slow machine finds connections that were closed a moment ago
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)))
  })
  server.on('secureConnection', (socket) => outside.reached.push(String(socket.servername)))
  const port = await listen(server)
  const outside: Outside = {
    port,
    server,
    reached: [],
    queries: [],
    dialled: [],
    events: [],
    logged: [],
    names: new Map([
      ['allowed.example', ['127.0.0.1']],
      ['other.example', ['127.0.0.1']],
      ['evil.example', ['127.0.0.1']],
      ['a.wild.example', ['127.0.0.1']],
    ]),
    answer: (request, response) => response.end(`hello ${request.headers.host}`),
    parts: (changes) => ({ ...partsOf(outside), ...changes }),
    openProxy: (allowed, changes) => openProxy(outside.parts(changes), allowed),
    openSealed: (allowed, sealed, limits) =>
      openProxy(outside.parts({ limits: { newPerSecond: 1000, ...limits } }), allowed, sealed),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return outside
}

function partsOf(outside: Outside): EgressParts {
  const write = (level: string) => (message: string, fields?: object) => {
    outside.logged.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`)
  }
  return {
    owner: OWNER.id,
    audit: {
      append(event) {
        outside.events.push(event)
        return { ...event, seq: 1, at: '', prev: '', hash: '' } satisfies AuditRecord
      },
    },
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    async resolve(host) {
      outside.queries.push(host)
      const answer = outside.names.get(host) ?? []
      return typeof answer === 'function' ? answer() : answer
    },
    connect(address) {
      outside.dialled.push(address)
      return connect({ host: '127.0.0.1', port: outside.port, allowHalfOpen: true })
    },
    dangerouslyAllowAddress: (address) => address === '127.0.0.1',
    dangerouslyTrustAuthority: AUTHORITY,
  }
}

async function openProxy(
  parts: EgressParts,
  allowed: readonly string[],
  sealed?: readonly SealedCredential[],
): Promise<TestProxy> {
  const server = createServer()
  const blocked: string[] = []
  const egress = createEgress(parts)
  const seal = sealed && egress.createSeal(sealed)
  const proxy = egress.guard(
    'fixture' as ServerId,
    { allowedDomains: allowed, ...(seal && { seal }) },
    {
      onConnection: (take) => void server.on('connection', take),
      close: () => void server.close(),
    },
    (attempt) => blocked.push(attempt.message),
  )
  const port = await listen(server)
  return {
    port,
    proxy,
    blocked,
    ...(seal && { seal }),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      server.close()
    },
  }
}

export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

export interface Reply {
  /** 0 if the connection closed without an answer. */
  readonly status: number
  readonly body: string
  /** Open and paused if the status is 200. */
  readonly socket: Socket
}

/** Sends these bytes to a proxy and reads its answer. */
export async function send(port: number, bytes: string | Buffer): Promise<Reply> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.write(bytes)
  let text = ''
  const done = Promise.withResolvers<void>()
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (text.startsWith('HTTP/1.1 200') && text.includes('\r\n\r\n')) done.resolve()
  })
  socket.once('close', done.resolve)
  await done.promise
  socket.pause().removeAllListeners('data')
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1] ?? 0), body: body.trim(), socket }
}

export async function sendConnect(port: number, target: string): Promise<Reply> {
  return await send(port, Buffer.from(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`))
}

/** Starts TLS over an open tunnel; undefined if the tunnel closes instead. */
export async function startTls(
  socket: Socket,
  servername: string,
  ca: string = AUTHORITY,
): Promise<TLSSocket | undefined> {
  const tls = connectTls({
    socket,
    servername,
    ca,
    checkServerIdentity: () => undefined,
  })
  const outcome = Promise.withResolvers<TLSSocket | undefined>()
  tls.once('secureConnect', () => outcome.resolve(tls))
  tls.on('error', () => outcome.resolve(undefined)).once('close', () => outcome.resolve(undefined))
  return await outcome.promise
}

/** A whole https GET through a proxy. */
export async function getThrough(port: number, host: string): Promise<string | undefined> {
  const { status, socket } = await sendConnect(port, `${host}:443`)
  const tls = status === 200 ? await startTls(socket, host) : undefined
  if (tls === undefined) return undefined
  tls.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  let text = ''
  for await (const chunk of tls) text += String(chunk)
  return text.split('\r\n\r\n')[1]
}
