/**
 * One record of the log and its place in the chain: its hash computed anew, and the hashes by which its neighbours are
 * tied to it. Read-only. A sound record in a log that was cut or rewritten elsewhere is found by `verify` alone.
 */
import type { AuditRecord, RecordProof } from '../kernel/audit-record.ts'
import { EMPTY_HEAD, flawOf, hashOf, parseRecord } from './audit-line.ts'
import { readLines } from './read-lines.ts'
import { seek } from './search-log.ts'

interface Found {
  readonly record: AuditRecord
  readonly line: Buffer
}

export async function proveRecord(
  path: string,
  size: number,
  seq: number,
): Promise<RecordProof | undefined> {
  const near = await readNear(path, size, seq)
  const found = near.get(seq)
  if (!found) return undefined
  const before = seq === 1 ? EMPTY_HEAD.hash : near.get(seq - 1)?.record.hash
  const after = near.get(seq + 1)?.record.prev
  const problem = problemOf(found, before, after)
  return {
    record: found.record,
    computed: computedHash(found.record),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(problem !== undefined && { problem }),
  }
}

/** The record and those beside it, by number. */
async function readNear(
  path: string,
  size: number,
  seq: number,
): Promise<ReadonlyMap<number, Found>> {
  const near = new Map<number, Found>()
  // From two records earlier: the offset of a search may lie inside the record that it looks for.
  for await (const { bytes } of readLines(path, await seek(path, size, seq - 2), size)) {
    const record = parseRecord(bytes)
    if (!record) continue
    if (Math.abs(record.seq - seq) <= 1) near.set(record.seq, { record, line: Buffer.from(bytes) })
    if (record.seq > seq) break
  }
  return near
}

/** Empty for content that no record can hold, and that therefore has no canonical spelling. */
function computedHash({ hash: _own, ...body }: AuditRecord): string {
  try {
    return hashOf(body)
  } catch {
    return ''
  }
}

function problemOf(
  { record, line }: Found,
  before: string | undefined,
  after: string | undefined,
): string | undefined {
  const flaw = flawOf(record, line)
  if (flaw !== undefined) return flaw
  if (before === undefined) return 'stands after a record that cannot be read'
  if (record.prev !== before) return 'is tied to another record than the one before it'
  if (after !== undefined && after !== record.hash) return 'is not the one that the next is tied to'
  return undefined
}
