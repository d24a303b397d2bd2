/** Finds records in the log. Read-only, in bounded memory; skips unreadable lines, since `verify` reports them. */
import type { AuditQuery, AuditRecord } from '../kernel/audit-record.ts'
import type { Json } from '../text/json.ts'
import { parseRecord } from './audit-line.ts'
import { readLines } from './read-lines.ts'

const FIRST_WINDOW = 131_072

/** The newest `limit` matching records, oldest first. Searches the end of the file before the rest. */
export async function findLast(
  path: string,
  size: number,
  limit: number,
  matches: (record: AuditRecord) => boolean,
): Promise<readonly AuditRecord[]> {
  for (let window = FIRST_WINDOW; ; window *= 8) {
    const from = Math.max(0, size - window)
    let found: AuditRecord[] = []
    for await (const record of readRecords(path, from, size)) {
      if (matches(record)) found.push(record)
      if (found.length >= 2 * limit) found = found.slice(-limit)
    }
    if (found.length >= limit || from === 0) return found.slice(-limit)
  }
}

/** The first `limit` records after record `after`. */
export async function readAfter(
  path: string,
  size: number,
  after: number,
  limit: number,
): Promise<readonly AuditRecord[]> {
  const found: AuditRecord[] = []
  for await (const record of readRecords(path, await seek(path, size, after), size)) {
    if (found.length >= limit) break
    if (record.seq > after) found.push(record)
  }
  return found
}

export function matcherFor(query: AuditQuery): (record: AuditRecord) => boolean {
  const needle = query.text?.toLowerCase()
  const since = query.since === undefined ? -Infinity : Date.parse(query.since)
  const until = query.until === undefined ? Infinity : Date.parse(query.until)
  const { before = Infinity } = query
  return (record) => {
    const at = Date.parse(record.at)
    if (at < since || at > until || record.seq >= before) return false
    if (!fits(record.kind, query.kind) || !fits(record.subject ?? '', query.subject)) return false
    return needle === undefined || holds({ ...record }, needle)
  }
}

/** `vault.*` matches everything that starts with `vault.`; a pattern without a star matches the whole word. */
function fits(word: string, pattern: string | undefined): boolean {
  if (pattern === undefined) return true
  return pattern.endsWith('*') ? word.startsWith(pattern.slice(0, -1)) : word === pattern
}

function holds(value: Json, needle: string): boolean {
  if (typeof value !== 'object') return String(value).toLowerCase().includes(needle)
  return value !== null && Object.values(value).some((item: Json) => holds(item, needle))
}

/** An offset at or shortly before record `after`, by binary search: sequence numbers only grow. */
export async function seek(path: string, size: number, after: number): Promise<number> {
  let low = 0
  let high = size
  while (high - low > FIRST_WINDOW) {
    const middle = Math.floor((low + high) / 2)
    const record = await firstFrom(path, middle, size)
    if (record && record.seq <= after) low = middle
    else high = middle
  }
  return low
}

async function firstFrom(path: string, from: number, to: number): Promise<AuditRecord | undefined> {
  for await (const record of readRecords(path, from, to)) return record
  return undefined
}

async function* readRecords(path: string, from: number, to: number): AsyncGenerator<AuditRecord> {
  for await (const line of readLines(path, from, to)) {
    const record = parseRecord(line.bytes)
    if (record) yield record
  }
}
