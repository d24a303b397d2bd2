/** The state of a server that runs or could run, its tools and its log. */
import type { JsonObject } from '../text/json.ts'
import type { ReachedHost } from '../text/reached-host.ts'
import type { MemoryLayer } from './sandbox-port.ts'
import type { ServerId } from './server-id.ts'

export type ServerBadge = 'connected' | 'idle' | 'error' | 'disabled'

export type ProtocolEra = 'legacy' | 'modern'

export interface ServerState {
  readonly server: ServerId
  readonly badge: ServerBadge
  /** One sentence for people: the error, or the thing the server waits for. */
  readonly reason?: string
  readonly pid?: number
  readonly era?: ProtocolEra
  readonly protocolVersion?: string
  /** As the server reports itself; for showing, never for deciding. */
  readonly reportedVersion?: string
  /** The server reports another version than the definition pins. */
  readonly versionDrift?: boolean
  readonly tools: number
  /** Tools whose definition changed since it was pinned: blocked until the owner accepts them. */
  readonly quarantined: number
  /** The number of unchanged tools that the owner's quarantine blocks. */
  readonly held?: number
  readonly restarts: number
  /** Hosts that the running process asked for and may not reach. Its own choice of words: untrusted. */
  readonly blockedHosts?: readonly string[]
  /** Hosts that the running process reached; names below a wildcard are its own choice. */
  readonly reached?: readonly ReachedHost[]
  /** Sentences about tools that the server lists and that cannot be used. */
  readonly leftOut?: readonly string[]
  readonly isOutdated?: boolean
  readonly startedAt?: string
  readonly memoryBytes?: number
  readonly memoryLayer?: MemoryLayer
}

/** A tool as its server describes it. All of it is untrusted. */
export interface ToolDescription {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations?: JsonObject
  /** Data for programs, such as the resource that draws its results (`ui`). */
  readonly meta?: JsonObject
  /** SHA-256 over the canonical JSON of the whole definition. */
  readonly hash: string
  /** Changed since it was pinned, or quarantined by the owner. */
  readonly quarantined: boolean
  /** The owner quarantined the server, and the tool has not changed since. */
  readonly isHeld?: boolean
}

/** One message of the protocol between Cordon and a server, with secrets masked. Untrusted text. */
export interface ProtocolMessage {
  readonly seq: number
  readonly at: string
  readonly direction: 'sent' | 'received'
  /** Absent in a notification; the same in a request and its answer. */
  readonly id?: string
  /** Absent in an answer. */
  readonly method?: string
  readonly isError?: true
  /** JSON; a long message is cut. */
  readonly text: string
}

export interface LogLine {
  /** Grows with every line of this server, since several lines can share a millisecond. */
  readonly seq: number
  readonly at: string
  /** `log`: a message of the protocol. */
  readonly from: 'stderr' | 'stdout' | 'log' | 'egress' | 'cordon'
  readonly text: string
}
