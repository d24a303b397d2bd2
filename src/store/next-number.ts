/** The number of a new row of memory: rows of one principal are numbered from one. */
import { type RawBuilder, sql } from 'kysely'
import type { PrincipalId } from '../kernel/principal.ts'

/** The number after the highest one of this principal. */
export function nextNumber(
  table: 'memory_fact' | 'memory_turn' | 'memory_result',
  owner: PrincipalId,
): RawBuilder<number> {
  const numbers = sql`select coalesce(max(number), 0) + 1 from ${sql.table(table)} where principal = ${owner}`
  return sql<number>`(${numbers})`
}
