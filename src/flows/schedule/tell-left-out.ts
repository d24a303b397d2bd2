/** Records the times at which a schedule did not run because its last run was still under way, and tells the owner once for each such run. */
import type { FlowSchedule } from '../../ports/schedule-port.ts'
import { localTime, showHour } from '../../text/local-time.ts'
import type { ScheduleDeps } from './open-schedules.ts'

type TellDeps = Pick<ScheduleDeps, 'audit' | 'owner' | 'deliveries' | 'log'>

export async function tellLeftOut(
  { audit, owner, deliveries, log }: TellDeps,
  { name, sinks, timezone, progress }: FlowSchedule,
  times: readonly number[],
): Promise<void> {
  const [first] = times
  if (first === undefined) return
  const run = progress?.run ?? name
  const { hour, minute } = localTime(first, timezone)
  const reason = `was left out at ${showHour(hour, minute)}: its last run still goes on; \`cordon flow show ${run}\` says where it is`
  const notice = { kind: 'result', subject: name, items: [], reason } as const
  try {
    const details = { run, times: times.map((time) => new Date(time).toISOString()) }
    await audit.appendDurable({ kind: 'flows.left-out', principal: owner, subject: name, details })
    for (const sink of sinks)
      await deliveries.tell({ id: `${run} goes on`, sink, text: `${name} ${reason}.`, notice })
  } catch (error) {
    log.warn('It cannot be told that a schedule was left out', { flow: name, error })
  }
}
