/** Ports for network access. The egress room alone opens outgoing sockets; every other room asks through this. */
import type { Duplex } from 'node:stream'
import type { ConnectionSource, TunnelSource } from './sandbox-port.ts'
import type { ServerId } from './server-id.ts'

export interface EgressRules {
  /** Exact host names or `*.x.y`, without a port. */
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
  /** The hosts this caller may reach; a redirect to any other host is refused. */
  readonly allowedDomains: readonly string[]
  /** PEM. If set, no other certificate is trusted. */
  readonly pinnedCertificate?: string
  /** Allows plain http, for development on this machine only. */
  readonly dangerouslyAllowHttp?: boolean
}

/** The address of a server on this machine: a Unix socket, or a named pipe on Windows. */
export interface LocalPlace {
  readonly kind: 'socket' | 'pipe'
  readonly path: string
}

/** Lets a server reach the hosts on its allow-list and no others; refusals go to the log and the audit log. */
export interface Egress {
  /** Serves these connections as an HTTP CONNECT proxy until disposed. Every refusal is passed to `onBlocked`. */
  guard(
    server: ServerId,
    rules: EgressRules,
    connections: ConnectionSource,
    onBlocked: (attempt: BlockedAttempt) => void,
  ): ServerProxy
  /** Forwards these connections to the one host and port of the tunnel until disposed. The bytes are not inspected. */
  tunnel(
    server: ServerId,
    source: TunnelSource,
    onBlocked: (attempt: BlockedAttempt) => void,
  ): ServerProxy
  /** A fetch for Cordon's own calls: TLS only, vetted addresses, every redirect checked again. */
  createFetch(options: GuardedFetchOptions): typeof globalThis.fetch
  /** Connects to a server on this machine; refused if another user could impersonate it. The caller owns the stream. */
  connectLocal(place: LocalPlace, signal: AbortSignal): Promise<Duplex>
  /** A fetch that reaches `http://localhost/…` over that socket or pipe, and nothing else. */
  createLocalFetch(place: LocalPlace): typeof globalThis.fetch
}
