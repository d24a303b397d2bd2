/** The ways out. The egress room alone opens sockets outward; everyone else asks through this. */
import type { Duplex } from 'node:stream'
import type { ConnectionSource, TunnelSource } from './sandbox-port.ts'
import type { ServerId } from './server-id.ts'

export interface EgressRules {
  /** Exact names, or `*.x.y`; without a port. */
  readonly allowedDomains: readonly string[]
}

export interface BlockedAttempt {
  readonly at: string
  /** `Blocked: MCP server tried to reach {host}` for people. */
  readonly message: string
}

export interface ServerProxy extends AsyncDisposable {
  readonly blocked: number
}

export interface GuardedFetchOptions {
  /** The hosts this caller may reach; a redirect to another is refused. */
  readonly allowedDomains: readonly string[]
  /** A certificate that is the only one trusted (PEM). */
  readonly pinnedCertificate?: string
  /** Plain http, for development on this machine only. */
  readonly dangerouslyAllowHttp?: boolean
}

/** Where a server on this machine listens: a Unix socket, or a named pipe of Windows. */
export interface LocalPlace {
  readonly kind: 'socket' | 'pipe'
  readonly path: string
}

/** Lets a server out to the hosts on its own list and nowhere else; what it refuses is in the log and the audit record. */
export interface Egress {
  /** Serves these connections as an HTTP CONNECT proxy until it is disposed. `onBlocked` hears of every refusal. */
  guard(
    server: ServerId,
    rules: EgressRules,
    connections: ConnectionSource,
    onBlocked: (attempt: BlockedAttempt) => void,
  ): ServerProxy
  /** Carries these connections to the one place they want to, until it is disposed. What they carry is not looked at. */
  tunnel(
    server: ServerId,
    source: TunnelSource,
    onBlocked: (attempt: BlockedAttempt) => void,
  ): ServerProxy
  /** A fetch for Cordon's own calls: TLS only, vetted addresses, every redirect checked again. */
  createFetch(options: GuardedFetchOptions): typeof globalThis.fetch
  /** Connects to a server on this machine; refused where another user could pose as it. The caller owns the stream. */
  connectLocal(place: LocalPlace, signal: AbortSignal): Promise<Duplex>
  /** A fetch that reaches `http://localhost/…` over that place, and nothing else. */
  createLocalFetch(place: LocalPlace): typeof globalThis.fetch
}
