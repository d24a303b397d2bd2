/** Recomputes the whole chain and reports the first problem and its place, for people. Read-only. */
import type { VerifyReport } from '../kernel/audit-record.ts'
import { EMPTY_HEAD, type Head } from './audit-line.ts'
import type { AnchorReading } from './anchor.ts'
import { type Problem, problemAt, type Walk, walkChain } from './walk-chain.ts'

interface Witnesses {
  readonly anchor: AnchorReading
  /** The end of the log by this process, if this process is the writer. */
  readonly written?: Head
  /** A hash that a person noted elsewhere. */
  readonly noted?: string | undefined
}

export async function verifyLog(
  path: string,
  size: number,
  { anchor, written, noted }: Witnesses,
): Promise<VerifyReport> {
  const expected = [
    ...(anchor.kind === 'found' ? [anchor.head] : []),
    ...(written ? [written] : []),
  ]
  let isNoted = noted === undefined
  const walk = await walkChain(path, { from: EMPTY_HEAD, to: size }, expected, ({ hash }) => {
    isNoted ||= hash === noted
  })
  const problem = problemOf(walk, anchor, isNoted)
  const { seq: records, hash: head } = walk.head
  return problem ? { ok: false, records, head, problem } : { ok: true, records, head }
}

function problemOf(walk: Walk, anchor: AnchorReading, isNoted: boolean): Problem | undefined {
  const { seq } = walk.head
  if (walk.problem) return walk.problem
  if (walk.torn) return problemAt(seq + 1, 'is not whole: its line does not end')
  if (anchor.kind !== 'found') return whole(seq, `The anchor of the log is ${anchor.kind}`)
  return isNoted ? undefined : whole(seq, 'No record has the hash that was noted')
}

/** A problem of the log as a whole, reported at its last record. */
function whole(seq: number, message: string): Problem {
  return { seq, line: seq, message }
}
