/** Ports for network access. The egress room alone opens outgoing sockets; every other room asks through this. */
import type { Duplex } from 'node:stream'
import type { ConnectionSource, TunnelSource } from '../kernel/sandbox-port.ts'
import type { ChosenWay } from '../text/chosen-way.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { ReachedHost } from '../text/reached-host.ts'

export interface EgressRules {
  /** Exact host names or `*.x.y`, without a port. */
  readonly allowedDomains: readonly string[]
  /** Present: the owner chose these hosts in a setting of their own, such as the registry of their npm. */
  readonly chosen?: ChosenWay
  /** Present: TLS ends in the proxy, which puts credentials in that the server does not hold. */
  readonly seal?: Seal
}

/** A credential that its server never holds. */
export interface SealedCredential {
  /** The variable that holds the placeholder. */
  readonly name: string
  /** The hosts that are told the value: exact names or `*.x.y`. */
  readonly hosts: readonly string[]
  /** Borrowed from the lease; asked for at every request. */
  readonly value: () => Buffer
}

/** The certificate of a host and its key, as Node's TLS takes them. */
export interface TlsContext {
  readonly context: unknown
}

/** The authority that one sandbox trusts. Its key never leaves memory. */
export interface SealAuthority {
  /** PEM. */
  readonly certificate: string
  readonly contextFor: (host: string) => TlsContext
}

export interface Seal {
  readonly authority: SealAuthority
  /** Each with the text that the server gets in place of the value. */
  readonly credentials: readonly (SealedCredential & { readonly placeholder: string })[]
}

export interface BlockedAttempt {
  readonly at: string
  /** For people: `Blocked: MCP server tried to reach {host}`, or that the host could not be reached. */
  readonly message: string
  /** Set if the host is missing from the allow-list, so that adding it would help. */
  readonly host?: string
  /** Set if the place is allowed and could not be reached: `localhost:5432 (host does not answer)`. */
  readonly unreached?: string
}

export interface ServerProxy extends AsyncDisposable {
  readonly blocked: number
  /** The traffic to each host so far, also after it was disposed. At most 64 hosts are told apart. */
  readonly reached: readonly ReachedHost[]
}

export interface GuardedFetchOptions {
  /** The hosts this caller may reach; a redirect to any other host is refused. */
  readonly allowedDomains: readonly string[]
  /** PEM. If set, no other certificate is trusted. */
  readonly pinnedCertificate?: string
  /** Allows plain http, for development on this machine only. */
  readonly dangerouslyAllowHttp?: boolean
}

/** The address of a server on this machine: a Unix socket, its own in its sandbox, or a named pipe on Windows. */
export interface LocalPlace {
  readonly kind: 'socket' | 'pipe' | 'own'
  readonly path: string
}

/** Lets a server reach the hosts on its allow-list and no others; refusals go to the log and the audit log. */
export interface Egress {
  /**
   * Serves these connections as an HTTP CONNECT proxy until disposed. Every refusal is passed to `onBlocked`; a host that
   * could not be reached, once a minute.
   */
  guard(
    server: ServerId,
    rules: EgressRules,
    connections: ConnectionSource,
    onBlocked: (attempt: BlockedAttempt) => void,
  ): ServerProxy
  /** Makes a seal for one start of a server: new placeholders, and an authority of its own. */
  createSeal(credentials: readonly SealedCredential[]): Seal
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
