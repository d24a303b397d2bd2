/**
 * One connection of a server to a host and port that the owner named. Each tunnel has its own listener, so there is no
 * request to parse and no name to decide on: resolve once → vet → dial a vetted address → relay bytes.
 */
import type { Duplex } from 'node:stream'
import type { Tunnel } from '../../text/tunnel.ts'
import { relay } from './relay.ts'
import { type ConnectionParts, reach } from './serve-connection.ts'

type TunnelParts = Omit<ConnectionParts, 'allows'>

/** Databases keep idle connections open for hours; this is the longest delay that a timer can have. */
const SILENT_MS = 2 ** 31 - 1

/** Borrows the client; the caller destroys it, also after a refusal. */
export async function serveTunnel(
  client: Duplex,
  target: Tunnel,
  parts: TunnelParts,
  signal: AbortSignal,
): Promise<void> {
  if (!parts.mayStart()) {
    parts.refused({ kind: 'blocked', ...target, reason: 'too many new connections' })
    return
  }
  const upstream = await reach(target, parts, signal)
  if ('status' in upstream) {
    const { kind, reason } = upstream
    parts.refused({ kind, ...target, reason })
    return
  }
  const { socket, address } = upstream
  try {
    await relay(client, socket, {
      first: Buffer.alloc(0),
      idleMs: SILENT_MS,
      onOpen: (carried) => parts.opened({ ...target, address, carried }),
    })
  } finally {
    socket.destroy()
  }
}
