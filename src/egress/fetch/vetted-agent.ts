/**
 * The connections of a guarded fetch: each goes to a vetted address, and is TLS for the host name of the URL. Never
 * trusts an environment variable about certificates, and never resolves a name a second time.
 */
import { isIP, type Socket } from 'node:net'
import { connect as connectTls, getCACertificates, type TLSSocket } from 'node:tls'
import type { Dispatcher } from 'undici'
import type { GuardedFetchOptions } from '../../ports/egress-port.ts'
import { CordonError } from '../../kernel/error.ts'
import { createAgent } from './agent.ts'
import { type Connect, dial } from '../reach/dial.ts'
import { LOOPBACK } from './url-check.ts'
import type { EgressLimits } from '../proxy/limits.ts'
import type { Vet } from '../reach/vetted-addresses.ts'

export interface AgentParts {
  readonly vet: Vet
  readonly connect: Connect
  readonly limits: EgressLimits
  readonly dangerouslyTrustAuthority?: string
}

interface Place {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
}

export function createVettedAgent(parts: AgentParts, options: GuardedFetchOptions): Dispatcher {
  return createAgent(parts.limits, ({ hostname, port, protocol }) => {
    const isTls = protocol === 'https:'
    const place = { host: hostname, port: Number(port) || (isTls ? 443 : 80), isTls }
    return openSocket(place, parts, options)
  })
}

async function openSocket(
  place: Place,
  parts: AgentParts,
  options: GuardedFetchOptions,
): Promise<Socket> {
  const { host, port, isTls } = place
  const timeoutMs = parts.limits.connectMs
  const signal = AbortSignal.timeout(timeoutMs)
  const addresses = await addressesOf(host, parts.vet, options, signal)
  const dialled = await dial(addresses, port, { connect: parts.connect, timeoutMs, signal })
  if (dialled === undefined) throw unreachable(host)
  dialled.socket.allowHalfOpen = false
  return isTls
    ? await secure(dialled.socket, place, trustFor(parts, options), signal)
    : dialled.socket
}

async function addressesOf(
  host: string,
  vet: Vet,
  { dangerouslyAllowHttp }: GuardedFetchOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const loopback = LOOPBACK.get(isIP(host) === 6 ? `[${host}]` : host)
  if (loopback !== undefined && dangerouslyAllowHttp === true) return loopback
  const vetted = await vet(host, signal)
  if (vetted.kind === 'vetted') return vetted.addresses
  if (vetted.kind === 'unresolved') throw unreachable(host, vetted.cause)
  throw new CordonError(
    'egress.private-address',
    { exit: 3, hint: 'Check the address: only hosts on the public internet can be reached' },
    `Cannot connect to ${JSON.stringify(host)}: it has no public address`,
  )
}

interface Trust {
  readonly ca?: string[]
  readonly allowPartialTrustChain?: boolean
}

/** A pinned certificate is trusted alone, whichever authority signed it. */
function trustFor(
  { dangerouslyTrustAuthority }: AgentParts,
  { pinnedCertificate }: GuardedFetchOptions,
): Trust {
  if (pinnedCertificate !== undefined) {
    return { ca: [pinnedCertificate], allowPartialTrustChain: true }
  }
  if (dangerouslyTrustAuthority === undefined) return {}
  return { ca: [...getCACertificates('default'), dangerouslyTrustAuthority] }
}

async function secure(
  socket: Socket,
  { host }: Place,
  trust: Trust,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const servername = isIP(host) === 0 ? host : ''
  const settled = Promise.withResolvers<TLSSocket>()
  const giveUp = (cause?: unknown): void => {
    socket.destroy()
    settled.reject(untrusted(host, cause))
  }
  const onLate = (): void => giveUp(signal.reason)
  try {
    // Set explicitly: otherwise NODE_TLS_REJECT_UNAUTHORIZED could turn the check off.
    const checked = { rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] }
    const tls = connectTls({ socket, host, servername, ...checked, ...trust })
    tls.once('secureConnect', () => settled.resolve(tls))
    tls.on('error', giveUp)
    signal.addEventListener('abort', onLate)
    if (signal.aborted) onLate()
  } catch (cause) {
    giveUp(cause) // a pinned certificate that cannot be parsed
  }
  try {
    return await settled.promise
  } finally {
    signal.removeEventListener('abort', onLate)
  }
}

export function unreachable(host: string, cause?: unknown): CordonError {
  return new CordonError(
    'egress.unreachable',
    { exit: 5, hint: 'Check the address and the network, then try again' },
    `Cannot reach ${JSON.stringify(host)}`,
    cause,
  )
}

function untrusted(host: string, cause: unknown): CordonError {
  return new CordonError(
    'egress.untrusted',
    { exit: 5, hint: 'Check the certificate of the host, and the pinned one if there is one' },
    `Cannot trust the certificate of ${JSON.stringify(host)}`,
    cause,
  )
}
