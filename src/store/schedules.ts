/** The `ScheduleRows` port on its table, for one principal. */
import type { Kysely } from 'kysely'
import type { FlowSchedule, ScheduleProgress, ScheduleRows } from '../ports/schedule-port.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { CATCH_UPS, OVERLAPS, USUAL_RULES } from '../text/say-rules.ts'
import type { Query } from './engine.ts'
import type { Tables } from './tables.ts'

export function createSchedules(query: Query, owner: PrincipalId): ScheduleRows {
  return {
    put: (schedule) => query((db) => putRow(db, owner, schedule)),
    advance: (schedule, progress) =>
      query(async (db) => {
        const before = storedProgress(schedule)
        const changed = await db
          .updateTable('flow_schedule')
          .set({ progress: JSON.stringify(progress) })
          .where('principal', '=', owner)
          .where('name', '=', schedule.name)
          .where('created_at', '=', new Date(schedule.createdAt).toISOString())
          .where('progress', before === null ? 'is' : '=', before)
          .returning('name')
          .executeTakeFirst()
        return changed !== undefined
      }),
    list: () =>
      query(async (db) => {
        const rows = await db
          .selectFrom('flow_schedule')
          .selectAll()
          .where('principal', '=', owner)
          .orderBy('name')
          .execute()
        return rows.map(scheduleFrom)
      }),
    remove: (name) =>
      query(async (db) => {
        const gone = await db
          .deleteFrom('flow_schedule')
          .where('principal', '=', owner)
          .where('name', '=', name)
          .returning('name')
          .executeTakeFirst()
        return gone !== undefined
      }),
  }
}

async function putRow(
  db: Kysely<Tables>,
  owner: PrincipalId,
  schedule: FlowSchedule,
): Promise<void> {
  const { name, cron, timezone, template, overlap } = schedule
  const changed = {
    cron,
    timezone,
    template,
    sinks: JSON.stringify(schedule.sinks),
    inputs: JSON.stringify(schedule.inputs),
    created_at: new Date(schedule.createdAt).toISOString(),
    catch_up: CATCH_UPS.indexOf(schedule.catchUp),
    overlap,
    progress: storedProgress(schedule),
  }
  await db
    .insertInto('flow_schedule')
    .values({ principal: owner, name, ...changed })
    .onConflict((row) => row.columns(['principal', 'name']).doUpdateSet(changed))
    .execute()
}

/** A row that cannot be read is listed, so that it can be replaced, and is never due. */
function scheduleFrom(row: Tables['flow_schedule']): FlowSchedule {
  try {
    return readRow(row)
  } catch {
    const { name, cron, timezone, template } = row
    const read = { name, cron, timezone, template, createdAt: Date.parse(row.created_at) }
    return { ...read, ...USUAL_RULES, sinks: [], inputs: {}, isDamaged: true }
  }
}

function readRow(row: Tables['flow_schedule']): FlowSchedule {
  const { name, cron, timezone, template } = row
  return {
    name,
    cron,
    timezone,
    template,
    sinks: JSON.parse(row.sinks) as FlowSchedule['sinks'],
    inputs: JSON.parse(row.inputs) as FlowSchedule['inputs'],
    createdAt: Date.parse(row.created_at),
    catchUp: CATCH_UPS[row.catch_up] ?? USUAL_RULES.catchUp,
    overlap: OVERLAPS.find((one) => one === row.overlap) ?? USUAL_RULES.overlap,
    ...(row.progress !== null && { progress: JSON.parse(row.progress) as ScheduleProgress }),
  }
}

/** Written by this file alone, so the same progress is always the same text. */
function storedProgress({ progress }: FlowSchedule): string | null {
  return progress ? JSON.stringify(progress) : null
}
