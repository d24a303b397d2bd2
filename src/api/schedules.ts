/** Routes about schedules: which saved flow runs when, within which template, and where its answer goes. */
import { z } from 'zod'
import type { Flows, FlowSchedule } from '../kernel/flow-port.ts'
import type { Schedules, ShownSchedule } from '../kernel/schedule-port.ts'
import { flowName as name, inputs, type Named, named, nothing } from './fields.ts'
import type { Nothing, Routes } from './route.ts'

export interface ScheduleContract {
  'flows.schedules': {
    surface: 'any'
    input: Nothing
    output: { readonly schedules: readonly ShownSchedule[] }
  }
  'flows.schedule': {
    input: Pick<FlowSchedule, 'name' | 'cron' | 'sinks' | 'template'> &
      Partial<Pick<FlowSchedule, 'timezone' | 'inputs'>>
    output: ShownSchedule
  }
  'flows.unschedule': { input: Named; output: { readonly removed: boolean } }
}

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
        cron: z.string().min(1).max(200),
        timezone: z.string().min(1).max(100).exactOptional(),
        sinks: z.array(z.string().min(1).max(200)).max(20),
        template: z.string().min(1).max(100),
        inputs: inputs.exactOptional(),
      }),
      async handle(schedule) {
        await flows.read(schedule.name) // throws if there is no such flow
        return await schedules.put({ timezone: 'UTC', inputs: {}, ...schedule })
      },
    },
    'flows.unschedule': {
      surface: 'terminal',
      input: named,
      handle: async ({ name }) => ({ removed: await schedules.remove(name) }),
    },
  }
}
