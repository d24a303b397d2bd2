/**
 * One connection of a server to a place that its owner named, host and port. The listener it came in by says which place
 * that is, so there is nothing to read and nothing to decide: resolve once → vet → dial a vetted address → carry bytes.
 */
import type { Duplex } from 'node:stream'
import type { Tunnel } from '../kernel/tunnel.ts'
import { relay } from './relay.ts'
import { type ConnectionParts, type FinishedTunnel, reach } from './serve-connection.ts'

type TunnelParts = Omit<ConnectionParts, 'allows'>

/** Databases keep connections open that say nothing for hours; the longest that a timer can wait. */
const SILENT_MS = 2 ** 31 - 1

/** Borrows the client: whoever calls destroys it, also where nothing was carried. */
export async function serveTunnel(
  client: Duplex,
  target: Tunnel,
  parts: TunnelParts,
  signal: AbortSignal,
): Promise<FinishedTunnel | undefined> {
  if (!parts.mayStart()) {
    parts.refused({ kind: 'blocked', ...target, reason: 'too many new connections' })
    return undefined
  }
  const upstream = await reach(target, parts, signal)
  if ('status' in upstream) {
    const { kind, reason } = upstream
    parts.refused({ kind, ...target, reason })
    return undefined
  }
  const { socket, address } = upstream
  try {
    const carried = await relay(client, socket, { first: Buffer.alloc(0), idleMs: SILENT_MS })
    return { target, address, ...carried }
  } finally {
    socket.destroy()
  }
}
