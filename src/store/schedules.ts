/** The `ScheduleRows` port on its table, for one principal. */
import type { FlowSchedule, ScheduleRows } from '../ports/schedule-port.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Query } from './engine.ts'
import type { Tables } from './tables.ts'

export function createSchedules(query: Query, owner: PrincipalId): ScheduleRows {
  return {
    put: (schedule) =>
      query(async (db) => {
        const { name, cron, timezone, template } = schedule
        const changed = {
          cron,
          timezone,
          template,
          sinks: JSON.stringify(schedule.sinks),
          inputs: JSON.stringify(schedule.inputs),
          created_at: new Date(schedule.createdAt).toISOString(),
          catch_up: schedule.catchUp ? 1 : 0,
        }
        await db
          .insertInto('flow_schedule')
          .values({ principal: owner, name, ...changed })
          .onConflict((row) => row.columns(['principal', 'name']).doUpdateSet(changed))
          .execute()
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

function scheduleFrom(row: Tables['flow_schedule']): FlowSchedule {
  const { name, cron, timezone, template } = row
  return {
    name,
    cron,
    timezone,
    template,
    sinks: JSON.parse(row.sinks) as FlowSchedule['sinks'],
    inputs: JSON.parse(row.inputs) as FlowSchedule['inputs'],
    createdAt: Date.parse(row.created_at),
    catchUp: row.catch_up === 1,
  }
}
