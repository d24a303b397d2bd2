/** The latest decisions about calls, one line each: when, which tool, what was decided, how it ended. No content. Pure. */
import type { AuditRecord } from '../kernel/audit-record.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { alignColumns } from '../text/align-columns.ts'
import { seenLine } from '../text/untrusted-text.ts'

const LONGEST_NAME = 80

const DECIDED: Readonly<Record<string, string>> = {
  allow: 'allowed',
  ask: 'asked you',
  deny: 'denied',
}

const ENDED: Readonly<Record<string, string>> = {
  ok: 'done',
  failed: 'failed',
  refused: 'not done',
}

/** The newest `most` of them, the oldest first; `records` are those of calls, in the order of the log. */
export function showDecisions(records: readonly AuditRecord[], most: number): readonly string[] {
  return alignColumns(
    pairsIn(records)
      .slice(-most)
      .map(({ begin: { at, subject = '', details = {} }, end }) => [
        showTime(at),
        seenLine(subject, LONGEST_NAME),
        `${word(DECIDED, details['verdict'])} (${ruleIn(details)})`,
        word(ENDED, end?.details?.['kind'], 'under way'),
      ]),
  )
}

interface Pair {
  readonly begin: AuditRecord
  end?: AuditRecord
}

/** An id may be hidden in the log, so an end belongs to the oldest open call of its tool that has the same id. */
function pairsIn(records: readonly AuditRecord[]): readonly Pair[] {
  const pairs: Pair[] = []
  for (const record of records) {
    if (record.kind === 'call.begin') pairs.push({ begin: record })
    if (record.kind !== 'call.end') continue
    const open = pairs.find(({ begin, end }) => !end && isSameCall(begin, record))
    if (open) open.end = record
  }
  return pairs
}

function isSameCall(begin: AuditRecord, end: AuditRecord): boolean {
  return begin.subject === end.subject && begin.details?.['callId'] === end.details?.['callId']
}

function word(
  words: Readonly<Record<string, string>>,
  key: Json | undefined,
  otherwise = '',
): string {
  return typeof key === 'string' && Object.hasOwn(words, key) ? (words[key] ?? '') : otherwise
}

function ruleIn({ rule }: JsonObject): string {
  return typeof rule === 'string' ? rule : ''
}

/** In the time zone of this machine, to the second. */
function showTime(at: string): string {
  const date = new Date(at)
  const two = (part: number): string => String(part).padStart(2, '0')
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(two).join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`
}
