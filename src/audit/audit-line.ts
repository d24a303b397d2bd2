/**
 * One record and its line in the log: canonical JSON, sealed by its own hash and tied to the record before.
 * A line is good only if it is, byte for byte, the canonical spelling of what it says.
 */
import { hash as digest } from 'node:crypto'
import type { AuditEvent, AuditRecord } from '../kernel/audit-record.ts'
import { canonicalJson, type JsonObject } from '../kernel/json.ts'

/** How far a log reaches: its last record, and where in the file that record's line ends. */
export interface Head {
  readonly seq: number
  readonly hash: string
  readonly bytes: number
}

export const EMPTY_HEAD: Head = { seq: 0, hash: '0'.repeat(64), bytes: 0 }

const MAX_RECORD_BYTES = 16_384

/** Longer than any line that `sealRecord` makes: what exceeds it was not written by us. */
export const MAX_LINE_BYTES = 65_536

interface SealedRecord {
  readonly record: AuditRecord
  /** With its newline. */
  readonly line: Buffer
}

/** The record that follows `before`, and its line. Details that would make it too large give way to a note. */
export function sealRecord(event: AuditEvent, at: string, before: Head): SealedRecord {
  const sealed = seal(event, at, before)
  const bytes = sealed.line.length
  if (bytes <= MAX_RECORD_BYTES) return sealed
  return seal({ ...event, details: { leftOut: 'too large', bytes } }, at, before)
}

function seal(event: AuditEvent, at: string, before: Head): SealedRecord {
  const body = { seq: before.seq + 1, at, ...event, prev: before.hash }
  const record = { ...body, hash: hashOf(body) }
  return { record, line: Buffer.from(`${canonicalJson(record)}\n`) }
}

/** The record on a line, if it can be read as one at all; says nothing about whether it is genuine. */
export function parseRecord(line: Buffer): AuditRecord | undefined {
  try {
    const value: unknown = JSON.parse(line.toString())
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** What is wrong with a line on its own, in plain words. */
export function flawOf(record: AuditRecord, line: Buffer): string | undefined {
  const { hash, ...body } = record
  try {
    if (hashOf(body) !== hash) return 'was altered: its hash does not fit its content'
    const faithful = line.equals(Buffer.from(canonicalJson({ ...record })))
    return faithful ? undefined : 'was altered in its spelling'
  } catch {
    return 'was altered: it holds what no record can hold'
  }
}

function hashOf(body: Omit<AuditRecord, 'hash'>): string {
  return digest('sha256', canonicalJson({ ...body }))
}

function isRecord(value: unknown): value is AuditRecord {
  if (typeof value !== 'object' || value === null) return false
  const { seq, at, kind, principal, subject, details, prev, hash } = value as JsonObject
  return (
    Number.isSafeInteger(seq) &&
    [at, kind, principal, prev, hash, subject ?? ''].every((text) => typeof text === 'string') &&
    typeof (details ?? {}) === 'object'
  )
}
