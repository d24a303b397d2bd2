/**
 * One record and its line in the log: canonical JSON, sealed by its own hash and tied to the record before.
 * A line is good only if it is, byte for byte, the canonical spelling of what it says.
 */
import { hash as digest } from 'node:crypto'
import type { AuditRecord } from '../kernel/audit-record.ts'
import { canonicalJson, type JsonObject } from '../kernel/json.ts'
import type { SpelledEvent } from './spell-event.ts'

/** How far a log reaches: its last record, and where in the file that record's line ends. */
export interface Head {
  readonly seq: number
  readonly hash: string
  readonly bytes: number
}

export const EMPTY_HEAD: Head = { seq: 0, hash: '0'.repeat(64), bytes: 0 }

const MAX_RECORD_BYTES = 16_384

/** Longer than any line that `sealEvent` makes: what exceeds it was not written by us. */
export const MAX_LINE_BYTES = 65_536

interface SealedLine {
  /** How far the log reaches with it. */
  readonly head: Head
  /** With its newline. */
  readonly line: string
}

/** The line of the record that follows `before`. Details that would make it too large give way to a note. */
export function sealEvent(event: SpelledEvent, at: string, before: Head): SealedLine {
  const sealed = seal(event, at, before)
  const bytes = sealed.head.bytes - before.bytes
  if (bytes <= MAX_RECORD_BYTES) return sealed
  return seal({ ...event, details: canonicalJson({ leftOut: 'too large', bytes }) }, at, before)
}

/** In the canonical order the hash stands right before the kind. */
function seal(event: SpelledEvent, at: string, before: Head): SealedLine {
  const { kind, principal, subject, details } = event
  const seq = before.seq + 1
  const start = `{"at":"${at}"${details === undefined ? '' : `,"details":${details}`}`
  const end = `${subject === undefined ? '' : `,"subject":${subject}`}}`
  const rest = `"kind":${kind},"prev":"${before.hash}","principal":${principal},"seq":${seq}${end}`
  const hash = digest('sha256', `${start},${rest}`)
  const line = `${start},"hash":"${hash}",${rest}\n`
  return { head: { seq, hash, bytes: before.bytes + Buffer.byteLength(line) }, line }
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
