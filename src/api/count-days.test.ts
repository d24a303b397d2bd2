import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditKind } from '../kernel/audit-kinds.ts'
import type { AuditRecord } from '../kernel/audit-record.ts'
import { OWNER } from '../kernel/principal.ts'
import { countDays } from './count-days.ts'

const NOON = new Date(2026, 10, 16, 12).getTime()
const DAY_MS = 86_400_000

function record(daysAgo: number, kind: AuditKind, outcome?: string): AuditRecord {
  return {
    seq: 1,
    at: new Date(NOON - daysAgo * DAY_MS).toISOString(),
    kind,
    principal: OWNER.id,
    ...(outcome !== undefined && { details: { kind: outcome } }),
    prev: '',
    hash: '',
  }
}

test('countDays() counts what ran and what was blocked, by day, from the first record on', () => {
  const records = [
    record(2, 'call.end', 'ok'),
    record(2, 'call.begin'),
    record(2, 'call.end', 'failed'),
    record(0, 'call.end', 'refused'),
    record(0, 'egress.blocked'),
    record(0, 'servers.start'),
  ]
  assert.deepEqual(countDays(records, 14, NOON), [
    { day: '2026-11-14', ran: 2, blocked: 0 },
    { day: '2026-11-15', ran: 0, blocked: 0 },
    { day: '2026-11-16', ran: 0, blocked: 2 },
  ])
  assert.deepEqual(
    countDays(records, 1, NOON).map(({ day }) => day),
    ['2026-11-16'],
  )
  assert.deepEqual(countDays([], 14, NOON), [])
})
