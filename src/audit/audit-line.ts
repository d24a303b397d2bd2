/**
 * One audit record and its line in the log: canonical JSON with its own hash and the hash of the record before. A line
 * is valid only if it is, byte for byte, the canonical spelling of its record.
 */
import { hash as digest } from 'node:crypto'
import type { AuditRecord } from '../kernel/audit-record.ts'
import { canonicalJson, type JsonObject } from '../text/json.ts'
import type { SpelledEvent } from './spell-event.ts'

/** The end of a log: its last record, and the byte offset at which that record's line ends. */
export interface Head {
  readonly seq: number
  readonly hash: string
  readonly bytes: number
}

export const EMPTY_HEAD: Head = { seq: 0, hash: '0'.repeat(64), bytes: 0 }

const MAX_RECORD_BYTES = 16_384

/** Longer than any line of `sealEvent`: a longer line was not written by Cordon. */
export const MAX_LINE_BYTES = 65_536

interface SealedLine {
  /** The end of the log after this line. */
  readonly head: Head
  /** With its newline. */
  readonly line: string
}

/** The line of the record after `before`. Details that would make the record too large are replaced by a note. */
export function sealEvent(event: SpelledEvent, at: string, before: Head): SealedLine {
  const sealed = seal(event, at, before)
  const bytes = sealed.head.bytes - before.bytes
  if (bytes <= MAX_RECORD_BYTES) return sealed
  return seal({ ...event, details: canonicalJson({ leftOut: 'too large', bytes }) }, at, before)
}

/** The member with the hash, and the newline: a line has them, and its body has not. */
const HASH_MEMBER_BYTES = `"hash":"${EMPTY_HEAD.hash}",\n`.length

/** Built by hand in canonical member order, in which `hash` stands right before `kind`. */
function seal(event: SpelledEvent, at: string, before: Head): SealedLine {
  const { kind, principal, subject, details } = event
  const seq = before.seq + 1
  const start = `{"at":"${at}"${details === undefined ? '' : `,"details":${details}`}`
  const end = `${subject === undefined ? '' : `,"subject":${subject}`}}`
  const rest = `"kind":${kind},"prev":"${before.hash}","principal":${principal},"seq":${seq}${end}`
  const body = `${start},${rest}`
  const hash = digest('sha256', body)
  // Cut from the body, and counted on it: the digest has made it one piece, while `start` and `rest` are still many.
  const cut = start.length + 1
  const line = `${body.slice(0, cut)}"hash":"${hash}",${body.slice(cut)}\n`
  const bytes = before.bytes + Buffer.byteLength(body) + HASH_MEMBER_BYTES
  return { head: { seq, hash, bytes }, line }
}

/** The record on a line, or undefined if the line is not one; does not check that the record is genuine. */
export function parseRecord(line: Buffer): AuditRecord | undefined {
  try {
    const value: unknown = JSON.parse(line.toString())
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The flaw of a single line, for people; undefined for a valid line. */
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

export function hashOf(body: Omit<AuditRecord, 'hash'>): string {
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
