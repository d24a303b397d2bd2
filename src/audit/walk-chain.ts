/**
 * Follows the hash chain from record to record and stops at the first problem. Read-only. Sequence numbers have no
 * gaps, so record n is on line n.
 */
import type { VerifyReport } from '../kernel/audit-record.ts'
import { flawOf, type Head, parseRecord } from './audit-line.ts'
import { type Line, readLines } from './read-lines.ts'

export type Problem = NonNullable<VerifyReport['problem']>

export interface Walk {
  /** The last record up to which the chain is valid. */
  readonly head: Head
  readonly problem?: Problem
  /** The bytes after the last newline. */
  readonly torn?: Line
}

interface Span {
  readonly from: Head
  readonly to: number
}

/** Walks the lines of `span`. Every head in `expected` must occur, or the log was cut or rewritten. */
export async function walkChain(
  path: string,
  span: Span,
  expected: readonly Head[],
  visit?: (head: Head) => void,
): Promise<Walk> {
  let head = span.from
  let torn: Line | undefined
  for await (const line of readLines(path, head.bytes, span.to)) {
    if (!line.whole) {
      torn = line
      break
    }
    const next = follow(head, line)
    if ('message' in next) return { head, problem: next }
    head = next
    visit?.(head)
    const unmet = expected.some((other) => other.seq === next.seq && !sameHead(other, next))
    if (unmet) return { head, problem: problemAt(next.seq, 'is not the one that was anchored') }
  }
  if (expected.some((other) => other.seq > head.seq)) return { head, problem: missingAfter(head) }
  return torn ? { head, torn } : { head }
}

export function problemAt(seq: number, what: string): Problem {
  return { seq, line: seq, message: `Record ${seq} ${what}` }
}

function missingAfter(head: Head): Problem {
  return problemAt(head.seq + 1, 'is missing, and with it the rest: the log was cut short')
}

function follow(before: Head, line: Line): Head | Problem {
  const seq = before.seq + 1
  const record = parseRecord(line.bytes)
  if (!record) return problemAt(seq, 'cannot be read')
  const flaw = flawOf(record, line.bytes)
  if (flaw) return problemAt(seq, flaw)
  if (record.seq !== seq) {
    return problemAt(seq, `is not in its place: record ${record.seq} stands on its line`)
  }
  // This record is intact, so the record before it was replaced: its hash is not the one in `prev`.
  if (record.prev !== before.hash) {
    return problemAt(Math.max(1, before.seq), 'was rewritten: the next record is tied to another')
  }
  return { seq, hash: record.hash, bytes: line.end }
}

function sameHead(a: Head, b: Head): boolean {
  return a.hash === b.hash && a.bytes === b.bytes
}
