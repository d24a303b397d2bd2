/** What can be known about a server that runs, or could run. */
import type { JsonObject } from '../text/json.ts'
import type { MemoryLayer } from './sandbox-port.ts'
import type { ServerId } from './server-id.ts'

export type ServerBadge = 'connected' | 'idle' | 'error' | 'disabled'

export type ProtocolEra = 'legacy' | 'modern'

export interface ServerState {
  readonly server: ServerId
  readonly badge: ServerBadge
  /** One sentence for people: why it is in error, or what it waits for. */
  readonly reason?: string
  readonly pid?: number
  readonly era?: ProtocolEra
  readonly protocolVersion?: string
  /** As the server reports itself; for showing, never for deciding. */
  readonly reportedVersion?: string
  /** The definition pins another version than the server reports. */
  readonly versionDrift?: boolean
  readonly tools: number
  /** Tools whose definition changed since it was pinned: unavailable until the owner accepts them. */
  readonly quarantined: number
  readonly restarts: number
  readonly startedAt?: string
  readonly memoryBytes?: number
  readonly memoryLayer?: MemoryLayer
}

/** A tool as its server describes it. All of it is the server's word, and none of it is trusted. */
export interface ToolDescription {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations?: JsonObject
  /** SHA-256 over the canonical JSON of the whole definition. */
  readonly hash: string
  /** Changed since it was pinned. */
  readonly quarantined: boolean
}

export interface LogLine {
  /** Grows with every line of this server: several may come in the same millisecond. */
  readonly seq: number
  readonly at: string
  readonly from: 'stderr' | 'stdout' | 'egress' | 'cordon'
  readonly text: string
}
