/** The shapes of the audit log. A record says who did what to what; it never holds content or a secret. */
import type { AuditKind } from './audit-kinds.ts'
import type { JsonObject } from '../text/json.ts'
import type { PrincipalId } from './principal.ts'

export interface AuditEvent {
  readonly kind: AuditKind
  readonly principal: PrincipalId
  /** The object of the event: a server, a secret's name, a tool, a file. */
  readonly subject?: string
  readonly details?: JsonObject
}

export interface AuditRecord extends AuditEvent {
  /** 1 for the first record; no number is ever skipped. */
  readonly seq: number
  /** ISO time, UTC. */
  readonly at: string
  /** The hash of the record before; 64 zeros for the first. */
  readonly prev: string
  /** SHA-256 over the canonical JSON of everything above. */
  readonly hash: string
}

/** Number and hash of the record that an event became. */
export type AuditReceipt = Pick<AuditRecord, 'seq' | 'hash'>

export interface AuditQuery {
  readonly text?: string
  readonly kind?: string
  readonly subject?: string
  readonly since?: string
  readonly until?: string
  /** Only records with a smaller number: the page before the one that began with it. */
  readonly before?: number
  readonly limit: number
}

/** One record, checked again now. It is sound if `problem` is absent. */
export interface RecordProof {
  readonly record: AuditRecord
  /** SHA-256 over the content of the record, computed now. */
  readonly computed: string
  /** The hash of the record before, as it is in the log now; 64 zeros for the first, absent if it cannot be read. */
  readonly before?: string
  /** The hash of this record that the record after it holds; absent for the last record. */
  readonly after?: string
  /** For people, without a full stop. */
  readonly problem?: string
}

/** The log at one moment, for a backup. */
export interface AuditSnapshot {
  /** The files of the log in their order, and how many bytes of each are complete. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[]
  /** The content of the anchor that fits them. */
  readonly anchor: Uint8Array
}

export interface VerifyReport {
  readonly ok: boolean
  readonly records: number
  readonly head: string
  /** The first fault that was found, and the record it is in. */
  readonly problem?: { readonly seq: number; readonly line: number; readonly message: string }
}
