/**
 * The HTTP API and the page: on a Unix socket for the owner's command line, and on both loopback addresses for the
 * owner's browser. Never listens on another address, and never answers without Host, Origin and credential checks.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiServer, Listener } from '../api/server.ts'
import type { Audit, Log } from '../kernel/ports.ts'
import type { Sessions } from '../ports/session-port.ts'
import type { SignIns } from '../ports/sign-in-port.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { createAlarm } from './alarm.ts'
import { createEntryLinks, type EntryLinks } from './entry-links.ts'
import { decideSocketRequest } from './guard.ts'
import { createHealth } from './health.ts'
import {
  answerSafely,
  answerWith,
  closeServer,
  createHttpServer,
  type Endpoint,
  type Fetch,
} from './http-server.ts'
import { listenOnPort, listenOnSocket } from './listen.ts'
import { createPageApp } from './page-app.ts'
import { readPageFiles } from './page-files.ts'
import { readJson } from './read-json.ts'
import { refusal } from './refusal.ts'
import { createSessionGate } from './session-gate.ts'

interface WebParts {
  /** The principal for whom the page and the socket act. */
  readonly owner: PrincipalId
  readonly sessions: Sessions
  readonly audit: Pick<Audit, 'append' | 'appendDurable'>
  readonly log: Log
  readonly socketPath: string
  /** The first port to try; if it is taken, the next free one is used. 0 takes any. */
  readonly port: number
  readonly now: () => number
}

export interface Web extends AsyncDisposable {
  /** The URL of the page: `http://127.0.0.1:19275`. */
  readonly page: string
  /** Warnings for the person: the page is at another port than the configured one. */
  readonly notices: readonly string[]
  /** A link that lets one browser in, once, within ten minutes. */
  createLink(): ReturnType<EntryLinks['create']>
  /** Starts to answer, on the socket too; earlier requests to the page have waited. Disposing closes all listeners. */
  serve(api: ApiServer, gateway?: WebGateway): Promise<AsyncDisposable>
}

/** The gateway, which has a path of its own on the port and a protocol of its own on the socket. */
export interface WebGateway {
  /** By path; each has checks of its own. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  readonly signIns: SignIns
  /** Takes over a connection to the socket that asks for it by `Upgrade: mcp`. */
  readonly upgrade: (request: IncomingMessage, connection: Duplex) => void
  /** Ends the work of all clients in order; new requests are refused from then on. */
  drain(): Promise<void>
}

export const GATEWAY_PATH = '/mcp'
/** Paths that programs use; the page's app sees none of them. `/sse` and `/messages` are the older transport, HTTP+SSE. */
const GATEWAY_PATHS = [
  GATEWAY_PATH,
  '/sse',
  '/messages',
  '/metrics',
  '/oauth/register',
  '/oauth/token',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
]

/** The socket's mode has identified the owner already; a browser that was tricked into sending to it is refused. */
const SOCKET: Listener = {
  surface: 'terminal',
  admit(request) {
    const reason = decideSocketRequest(request)
    if (reason) throw refusal(reason)
  },
  read: readJson,
  refuse: refusal,
}

/** The paths of the gateway, each of which answers once the gateway is there. */
function waitingFor(
  gateway: Promise<ReadonlyMap<string, Endpoint>>,
): readonly (readonly [string, Endpoint])[] {
  return GATEWAY_PATHS.map((path) => [
    path,
    (request, response) => {
      void gateway.then((served) => (served.get(path) ?? notHere)(request, response))
    },
  ])
}

export async function openWeb(parts: WebParts): Promise<Web> {
  const { owner, sessions, audit, log, now } = parts
  await using stack = new AsyncDisposableStack()
  const [ipv4, ipv6, socketServer] = [createHttpServer(), createHttpServer(), createHttpServer()]
  const servers = [ipv4, ipv6, socketServer]
  stack.defer(async () => {
    await Promise.all(servers.map(closeServer))
  })

  const pageFiles = await readPageFiles()
  // A request that arrives before the rooms are ready waits for its answer.
  const ready = Promise.withResolvers<{ fetch: Fetch }>()
  const answer: Fetch = async (request) => await (await ready.promise).fetch(request)
  const gated = Promise.withResolvers<ReadonlyMap<string, Endpoint>>()
  const health = createHealth()
  const endpoints = new Map([...waitingFor(gated.promise), ...health.endpoints])
  for (const server of [ipv4, ipv6]) answerWith(server, answer, log, endpoints)
  const port = await listenOnPort({ ipv4, ipv6 }, parts.port)
  const failed = (error: Error): void => log.error('A listener failed', { error })
  for (const server of [ipv4, ipv6]) server.on('error', failed)
  const page = `http://127.0.0.1:${port}`
  const moved = parts.port !== 0 && port !== parts.port
  const notices = moved ? [`Port ${parts.port} is taken, so the page is at ${page}`] : []
  for (const notice of notices) log.warn(notice)

  const alarm = createAlarm({ audit, log, now })
  const links = createEntryLinks(page, now)
  const gate = createSessionGate({ owner, sessions, port, now })

  const owned = stack.move()
  const disposable = { [Symbol.asyncDispose]: () => owned.disposeAsync() }
  return {
    page,
    notices,
    createLink: () => links.create(),
    async serve(api, gateway) {
      gated.resolve(gateway?.endpoints ?? new Map())
      if (gateway) socketServer.on('upgrade', handOver(gateway))
      const page = { owner, api, audit, log, alarm, links, gate, pageFiles, port, now }
      ready.resolve(createPageApp({ ...page, signIns: gateway?.signIns }))
      const answer: Fetch = (request) => api.answer(request, SOCKET)
      answerWith(socketServer, answerSafely(answer, log, alarm), log)
      await listenOnSocket(socketServer, parts.socketPath)
      socketServer.on('error', failed)
      health.markReady()
      const drained = new AsyncDisposableStack()
      drained.use(disposable)
      if (gateway) drained.defer(() => gateway.drain())
      drained.defer(() => health.markDraining())
      return drained
    },
    ...disposable,
  }
}

/** Bytes that came together with the head of the request are the first of the connection. */
function handOver({ upgrade }: WebGateway) {
  return (request: IncomingMessage, connection: Duplex, first: Buffer): void => {
    if (first.length > 0) connection.unshift(first)
    upgrade(request, connection)
  }
}

const notHere: Endpoint = (_request, response) => void response.writeHead(404).end()
