/**
 * One connection of a server to its proxy, from the first byte to the last. The order is the security argument: read
 * the name → decide by name and port → resolve once → vet → dial a vetted address → require a TLS hello for the same
 * name → relay bytes. A refused name is never resolved; no byte is relayed before TLS names the host.
 */
import type { Duplex } from 'node:stream'
import type { ChosenWay } from '../../text/chosen-way.ts'
import type { AllowList } from '../reach/allow-list.ts'
import { parseClientHello } from './client-hello.ts'
import { type Connect, dial, type Dialled } from '../reach/dial.ts'
import type { HostPort } from '../reach/host-name.ts'
import { type Inbox, openInbox } from './inbox.ts'
import type { EgressLimits } from './limits.ts'
import { NOT_LISTED, type Refusal } from './refusals.ts'
import { relay } from './relay.ts'
import type { OpenTunnel } from './tunnels.ts'
import { parseRequestHead, type RequestHead, showHost } from './request-head.ts'
import { type RefusalStatus, turnAway } from './turn-away.ts'
import { type SealedWay, serveSealed, type Sealing } from '../seal/serve-sealed.ts'
import type { Vet } from '../reach/vetted-addresses.ts'
import { askForward } from '../reach/ask-forward.ts'

export interface ConnectionParts {
  readonly allows: AllowList
  /** Whether one more tunnel is within the rate limit. */
  readonly mayStart: () => boolean
  readonly vet: Vet
  readonly connect: Connect
  readonly limits: EgressLimits
  readonly refused: (refusal: Refusal) => void
  /** Bytes are relayed from here on. */
  readonly opened: (tunnel: OpenTunnel) => void
  /** Present: the hosts are of the owner's choice, on this port and over this proxy. */
  readonly chosen?: ChosenWay
  /** Present: TLS ends in this proxy. */
  readonly sealing?: Sealing
}

interface Answer extends Refusal {
  readonly status: RefusalStatus
}

const PORT = 443
const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n'

/** Borrows the client; the caller destroys it. Settles when the connection ends. */
export async function serveConnection(
  client: Duplex,
  parts: ConnectionParts,
  signal: AbortSignal,
): Promise<void> {
  const { refused, chosen } = parts
  const inbox = openInbox(client)
  const refuse = async ({ status, ...refusal }: Answer): Promise<void> => {
    inbox.release()
    refused(refusal)
    await turnAway(client, status, refusal.reason)
  }

  const head = await readHead(inbox, parts)
  if (head === undefined) return
  if (head.kind === 'refused') return await refuse({ ...head, kind: 'blocked' })

  const { target } = head
  const no = decide(target, parts)
  if (no) return await refuse(no)

  const upstream = await (chosen?.proxy
    ? reachOver(chosen.proxy, target, parts, signal)
    : reach(target, parts, signal))
  if ('status' in upstream) {
    chosen?.onFailed?.(upstream.reason)
    return await refuse(upstream)
  }

  try {
    client.write(ESTABLISHED, 'latin1')
    inbox.skip(head.length)
    if (!(await namesTarget(inbox, target, parts))) return
    await carryOn({ client, first: inbox.release(), target, ...upstream }, parts)
  } finally {
    upstream.socket.destroy()
  }
}

async function carryOn(way: SealedWay, parts: ConnectionParts): Promise<void> {
  const { limits, opened, chosen, sealing } = parts
  if (sealing) return await serveSealed(way, { ...parts, sealing })
  const { client, socket, first, target, address } = way
  const onDown = chosen?.onBytes
  await relay(client, socket, {
    first,
    idleMs: limits.idleMs,
    ...(onDown && { onDown }),
    onOpen: (carried) => opened({ ...target, address, carried }),
  })
}

/** Undefined if the client never finished the request head. */
async function readHead(
  inbox: Inbox,
  { limits, refused }: ConnectionParts,
): Promise<Exclude<RequestHead, { kind: 'more' }> | undefined> {
  const bounds = { bytes: limits.headBytes, ms: limits.headMs }
  const head = await inbox.until(parseRequestHead, bounds)
  if (head.kind === 'read') return head.value
  if (head.reason !== 'closed') {
    refused({ kind: 'blocked', host: '(no name)', reason: `request is ${head.reason}` })
  }
  return undefined
}

/** By name and port alone: a host refused here is never looked up. */
function decide(
  { host, port }: HostPort,
  { allows, mayStart, chosen }: ConnectionParts,
): Answer | undefined {
  const blocked = { kind: 'blocked', host, port } as const
  if (!allows(host)) return { ...blocked, status: 403, reason: NOT_LISTED }
  if (port !== (chosen?.port ?? PORT))
    return { ...blocked, status: 403, reason: 'port is not allowed' }
  if (!mayStart()) return { ...blocked, status: 429, reason: 'too many new connections' }
  return undefined
}

/** Over the owner's proxy: it resolves the name, and the TLS hello must still name it. */
async function reachOver(
  proxy: NonNullable<ChosenWay['proxy']>,
  target: HostPort,
  parts: ConnectionParts,
  signal: AbortSignal,
): Promise<Dialled | Answer> {
  const dialled = await reach(proxy, parts, signal)
  const failed = { ...target, kind: 'failed', status: 502 } as const
  if ('status' in dialled) return { ...failed, reason: `your proxy: ${dialled.reason}` }
  const way = await askForward(dialled.socket, proxy, target, parts.limits.connectMs)
  if (typeof way !== 'string') return { socket: way, address: dialled.address }
  dialled.socket.destroy()
  return { ...failed, reason: `your proxy ${way}` }
}

export async function reach(
  { host, port }: HostPort,
  { vet, connect, limits }: Pick<ConnectionParts, 'vet' | 'connect' | 'limits'>,
  signal: AbortSignal,
): Promise<Dialled | Answer> {
  const vetted = await vet(host, signal)
  if (vetted.kind === 'private') {
    return { kind: 'blocked', host, port, status: 403, reason: 'host has no public address' }
  }
  const failed = { kind: 'failed', host, port, status: 502 } as const
  if (vetted.kind === 'unresolved') return { ...failed, reason: 'host cannot be resolved' }
  const options = { connect, timeoutMs: limits.connectMs, signal }
  const dialled = await dial(vetted.addresses, port, options)
  return dialled ?? { ...failed, reason: 'host does not answer' }
}

/** Whether the client's first bytes are a TLS hello for the host of its CONNECT. */
async function namesTarget(
  inbox: Inbox,
  { host, port }: HostPort,
  { limits, refused }: ConnectionParts,
): Promise<boolean> {
  const bounds = { bytes: limits.helloBytes, ms: limits.helloMs }
  const hello = await inbox.until(parseClientHello, bounds)
  const blocked = { kind: 'blocked', host, port } as const
  if (hello.kind === 'gave-up') {
    if (hello.reason !== 'closed') refused({ ...blocked, reason: `TLS hello is ${hello.reason}` })
    return false
  }
  if (hello.value.kind === 'bad') {
    refused({ ...blocked, reason: hello.value.reason })
    return false
  }
  const { serverName } = hello.value
  if (serverName === host) return true
  refused({ ...blocked, host: showHost(serverName), reason: 'TLS asks for another host' })
  return false
}
