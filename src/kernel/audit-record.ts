/** The words of the audit log. A record says who, what and about whom; it never holds content or a secret. */
import type { AuditKind } from './audit-kinds.ts'
import type { JsonObject } from '../text/json.ts'
import type { PrincipalId } from './principal.ts'

export interface AuditEvent {
  readonly kind: AuditKind
  readonly principal: PrincipalId
  /** What it is about: a server, a secret's name, a tool, a file. */
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

/** Which record an event became. */
export type AuditReceipt = Pick<AuditRecord, 'seq' | 'hash'>

export interface AuditQuery {
  readonly text?: string
  readonly kind?: string
  readonly subject?: string
  readonly since?: string
  readonly until?: string
  readonly limit: number
}

export interface VerifyReport {
  readonly ok: boolean
  readonly records: number
  readonly head: string
  /** The first thing that is wrong, and at which record. */
  readonly problem?: { readonly seq: number; readonly line: number; readonly message: string }
}
