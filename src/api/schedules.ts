/** Routes about schedules: which saved flow runs when, within which template, and where its answer goes. */
import { z } from 'zod'
import type { Flows } from '../ports/flow-port.ts'
import { CordonError } from '../kernel/error.ts'
import type {
  FlowSchedule,
  MadeSchedule,
  NewSchedule,
  Schedules,
  ShownSchedule,
} from '../ports/schedule-port.ts'
import { OWNER_SINK } from '../labels/sink.ts'
import { ownTemplate } from '../text/own-template.ts'
import { readTimes, TIMES_EXAMPLES } from '../text/read-times.ts'
import { CATCH_UPS, OVERLAPS, USUAL_RULES } from '../text/say-rules.ts'
import { flowName as name, inputs, type Named, named, nothing } from './fields.ts'
import type { Nothing, Routes } from './route.ts'

export interface ScheduleContract {
  'flows.schedules': {
    surface: 'any'
    input: Nothing
    output: { readonly schedules: readonly ShownSchedule[] }
  }
  /** Terminal only: a schedule is a yes given beforehand, since its runs ask nobody. */
  'flows.schedule': {
    /**
     * `times`: in words, in the time zone of this machine unless one is given; or else `cron`, in UTC. Without a template,
     * the runs may use the tools of the flow and no others; without a sink, the result comes to this machine.
     */
    input: Wanted
    output: MadeSchedule
  }
  /** Open to the page: it only ends what ran by itself. */
  'flows.unschedule': { surface: 'any'; input: Named; output: { readonly removed: boolean } }
}

type Wanted = Pick<FlowSchedule, 'name'> &
  Partial<Omit<NewSchedule, 'name'>> & { readonly times?: string }

interface ScheduleDeps {
  readonly schedules: Schedules
  readonly flows: Pick<Flows, 'read'>
}

export function scheduleRoutes({ schedules, flows }: ScheduleDeps): Routes<ScheduleContract> {
  return {
    'flows.schedules': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ schedules: await schedules.list() }),
    },
    'flows.schedule': {
      surface: 'terminal',
      input: z.strictObject({
        name,
        cron: z.string().min(1).max(200).exactOptional(),
        times: z.string().min(1).max(200).exactOptional(),
        timezone: z.string().min(1).max(100).exactOptional(),
        sinks: z.array(z.string().min(1).max(200)).max(20).exactOptional(),
        template: z.string().min(1).max(100).exactOptional(),
        inputs: inputs.exactOptional(),
        overlap: z.enum(OVERLAPS).exactOptional(),
        catchUp: z.enum(CATCH_UPS).exactOptional(),
      }),
      async handle(schedule) {
        await flows.read(schedule.name) // throws if there is no such flow
        const { times: _words, ...given } = schedule
        const limits = { sinks: [OWNER_SINK.name], template: ownTemplate(schedule.name) }
        const usual = { inputs: {}, ...USUAL_RULES, ...limits }
        return await schedules.put({
          ...usual,
          ...given,
          ...whenOf(schedule, () => schedules.now()),
        })
      },
    },
    'flows.unschedule': {
      surface: 'any',
      input: named,
      handle: async ({ name }) => ({ removed: await schedules.remove(name) }),
    },
  }
}

function whenOf(
  { times, cron, timezone }: Wanted,
  now: () => number,
): Pick<FlowSchedule, 'cron' | 'timezone'> {
  if (cron !== undefined && times === undefined) return { cron, timezone: timezone ?? 'UTC' }
  const zone = timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const read = times === undefined ? undefined : readTimes(times, { now: now(), timezone: zone })
  if (read?.kind === 'times' && cron === undefined) return { cron: read.cron, timezone: zone }
  throw new CordonError(
    'flows.bad-schedule',
    { exit: 2, hint: `Say one of: ${TIMES_EXAMPLES}; or write --cron '0 9 * * 1-5'` },
    `Cannot understand the times ${JSON.stringify(times ?? '')}`,
  )
}
