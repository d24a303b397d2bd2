/** Counts records of the audit log by day: calls that ran, and what was kept from happening. Pure. */
import type { AuditRecord } from '../kernel/audit-record.ts'
import type { AuditDay } from './audit.ts'

const DAY_MS = 86_400_000

/** One entry for each of the last days, the oldest first; none for days before the first record. */
export function countDays(
  records: readonly AuditRecord[],
  days: number,
  now: number,
): readonly AuditDay[] {
  const first = records[0] && dayOf(Date.parse(records[0].at))
  const names = Array.from({ length: days }, (_, back) => dayOf(now - (days - 1 - back) * DAY_MS))
  const byDay = Map.groupBy(records, ({ at }) => dayOf(Date.parse(at)))
  return [...new Set(names)]
    .filter((day) => first !== undefined && day >= first)
    .map((day) => {
      const ofDay = byDay.get(day) ?? []
      return { day, ran: count(ofDay, hasRun), blocked: count(ofDay, wasBlocked) }
    })
}

function count(records: readonly AuditRecord[], is: (record: AuditRecord) => boolean): number {
  return records.filter(is).length
}

function hasRun(record: AuditRecord): boolean {
  return record.kind === 'call.end' && !wasBlocked(record)
}

function wasBlocked({ kind, details }: AuditRecord): boolean {
  return kind === 'egress.blocked' || (kind === 'call.end' && details?.['kind'] === 'refused')
}

/** `2026-11-16`, in the time zone of this machine. */
function dayOf(ms: number): string {
  return new Date(ms).toLocaleDateString('sv-SE')
}
