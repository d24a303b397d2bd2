/**
 * A connection of a server whose credentials are sealed: TLS ends here, under the authority that this sandbox alone
 * trusts, and goes on to the host in a TLS connection of its own. The order is the security argument: the host proves
 * its name → a request is judged → placeholders are filled in for hosts of the credential → the request goes out.
 * HTTP/1.1 only; each connection from inside has exactly one outside, so nothing is shared between two of them.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { connect as connectTls, TLSSocket } from 'node:tls'
import type { SealAuthority, TlsContext } from '../../ports/egress-port.ts'
import type { Dialled } from '../reach/dial.ts'
import type { HostPort } from '../reach/host-name.ts'
import type { EgressLimits } from '../proxy/limits.ts'
import type { Carried } from '../proxy/relay.ts'
import type { Refusal } from '../proxy/refusals.ts'
import type { OpenTunnel } from '../proxy/tunnels.ts'
import { oneConnection } from './one-connection.ts'
import { passOn, passUpgradeOn, type SealedExchange } from './pass-on.ts'
import { isWebSocket } from './judge-request.ts'
import type { SealRule } from './seal-rules.ts'

export interface Sealing {
  readonly authority: SealAuthority
  readonly rules: readonly SealRule[]
  /** The command that switches sealing off. */
  readonly unseal: string
  /** Hosts that a request came for, so that the certificates of this proxy are known to be accepted. */
  readonly heard: Set<string>
  /** How long the next request waits, in milliseconds. */
  readonly owedMs: () => number
  /** The authorities that hosts are checked against; absent: those of Node. */
  readonly ca?: readonly string[]
}

interface SealedParts {
  readonly sealing: Sealing
  readonly limits: EgressLimits
  readonly refused: (refusal: Refusal) => void
  readonly opened: (tunnel: OpenTunnel) => void
}

export interface SealedWay extends Dialled {
  readonly target: HostPort
  readonly client: Duplex
  /** The TLS hello, which was read to check the name. */
  readonly first: Buffer
}

/** Borrows the client and the socket; the caller destroys both. Settles when the client's connection is over. */
export async function serveSealed(way: SealedWay, parts: SealedParts): Promise<void> {
  const { target, client, first, socket, address } = way
  const { sealing, limits, refused, opened } = parts
  const inner = openInner(client, first, sealing.authority.contextFor(target.host))
  const outer = connectTls({
    socket,
    servername: target.host,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true, // set explicitly: otherwise NODE_TLS_REJECT_UNAUTHORIZED could turn the check off
    ...(sealing.ca && { ca: [...sealing.ca] }),
  })
  opened({ ...target, address, carried: bytesOf(outer) })
  const agent = oneConnection(outer)
  const { rules, heard, owedMs } = sealing
  const secured = isSecured(outer, limits.connectMs)
  const ending = new AbortController()
  const told = { refused, heard, gone: ending.signal, open: 0, isUsed: false }
  const exchange = { target, rules, agent, secured, limits, owedMs, ...told }
  inner.once('close', () => ending.abort())
  outer.once('close', () => {
    if (exchange.open === 0) inner.end()
  })
  serverOf(exchange, limits).emit('connection', inner)
  await once(inner, 'close')
  outer.destroy()
  if (!heard.has(target.host)) refused({ kind: 'failed', ...target, reason: unheard(sealing) })
}

/** Node's clients end the connection without an alert when they do not trust a certificate. */
function unheard({ unseal }: Sealing): string {
  return `the server ended TLS before its first request: a program that pins certificates cannot be sealed, and \`${unseal}\` gives it the token itself`
}

function openInner(client: Duplex, first: Buffer, secureContext: TlsContext): TLSSocket {
  client.pause() // a flowing stream without a listener would lose the hello
  client.unshift(first)
  const inner = new TLSSocket(client, {
    isServer: true,
    secureContext,
    ALPNProtocols: ['http/1.1'],
  })
  return inner.on('error', () => inner.destroy())
}

/** Node's timers for heads and requests run only in a server that listens, so here the idle time bounds both. */
function serverOf(exchange: SealedExchange, { idleMs, sealedHeadBytes }: EgressLimits): Server {
  const server = createServer({
    maxHeaderSize: sealedHeadBytes,
    keepAliveTimeout: 0, // the host's own time is passed on
    shouldUpgradeCallback: isWebSocket,
  })
  server.setTimeout(idleMs)
  const take = (request: IncomingMessage, response: ServerResponse): void =>
    held(exchange, request, passOn(exchange, request, response))
  server.on('request', take).on('checkContinue', take)
  server.on('upgrade', (request, socket, head) =>
    held(exchange, request, passUpgradeOn(exchange, request, socket, head)),
  )
  server.on('clientError', (_error, socket) => malformed(exchange, socket))
  return server
}

/** An error that nobody foresaw ends this connection: thrown out of an event it would end Cordon, with every other server. */
function held(
  { refused, target }: SealedExchange,
  { socket }: IncomingMessage,
  work: Promise<void>,
): void {
  work.catch(() => {
    refused({ kind: 'failed', ...target, reason: 'the request could not be passed on' })
    socket.destroy()
  })
}

function malformed({ refused, target, heard }: SealedExchange, socket: Duplex): void {
  if (socket.writable && heard.has(target.host)) {
    refused({ kind: 'blocked', ...target, reason: 'malformed request' })
  }
  socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
}

/** True once the host proved its name. */
async function isSecured(outer: TLSSocket, timeoutMs: number): Promise<boolean> {
  const outcome = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => outer.destroy(), timeoutMs)
  outer.once('secureConnect', () => outcome.resolve(true))
  outer.on('error', () => outcome.resolve(false)).once('close', () => outcome.resolve(false))
  const isGood = await outcome.promise
  clearTimeout(timer)
  return isGood
}

function bytesOf(outer: TLSSocket): Carried {
  return {
    get up() {
      return outer.bytesWritten
    },
    get down() {
      return outer.bytesRead
    },
  }
}
