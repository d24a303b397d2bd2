/** Routes about flows that are saved under a name: listing, reading, saving and removing them. Never runs one. */
import { z } from 'zod'
import type { Flows, FlowSource, SavedFlow } from '../ports/flow-port.ts'
import { CordonError } from '../kernel/error.ts'
import { flowName as name, type Named, named, nothing } from './fields.ts'
import { comesFromFile, comesFromFolder, flowSource as source } from './flow-source.ts'
import type { Schedules } from '../ports/schedule-port.ts'
import type { Nothing, Routes } from './route.ts'

export interface SavedFlowContract {
  'flows.list': { surface: 'any'; input: Nothing; output: { readonly flows: readonly SavedFlow[] } }
  'flows.read': { surface: 'any'; input: Named; output: Awaited<ReturnType<Flows['read']>> }
  /**
   * Open to the page: a flow names tools, never a program, and its calls are judged and asked about like those of
   * `flows.start`. Under a name that has a schedule only a terminal saves: nobody is asked when that flow runs.
   */
  'flows.save': {
    surface: 'any'
    input: Named & { readonly source: FlowSource; readonly replace: boolean }
    output: SavedFlow
  }
  /** Its runs stay, and so does its schedule, which then reports that the flow is gone. */
  'flows.remove': { surface: 'any'; input: Named; output: { readonly removed: boolean } }
}

interface SavedFlowDeps {
  readonly flows: Pick<Flows, 'saved' | 'read' | 'save' | 'remove'>
  readonly schedules: Pick<Schedules, 'list'>
}

export function savedFlowRoutes({ flows, schedules }: SavedFlowDeps): Routes<SavedFlowContract> {
  return {
    'flows.list': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ flows: await flows.saved() }),
    },
    'flows.read': { surface: 'any', input: named, handle: ({ name }) => flows.read(name) },
    'flows.save': {
      surface: 'any',
      input: z.strictObject({ name, source, replace: z.boolean() }),
      // Saving is what makes the text of a file the owner's own, after a terminal has shown it.
      isForTerminal: (input) => comesFromFolder(input) || comesFromFile(input),
      async handle({ name, source, replace }, _signal, from) {
        if (from === 'page') await refuseScheduled(schedules, name)
        return await flows.save(name, source, replace)
      },
    },
    'flows.remove': {
      surface: 'any',
      input: named,
      handle: async ({ name }) => ({ removed: await flows.remove(name) }),
    },
  }
}

async function refuseScheduled(schedules: Pick<Schedules, 'list'>, name: string): Promise<void> {
  const all = await schedules.list()
  if (!all.some((schedule) => schedule.name === name)) return
  throw new CordonError(
    'kernel.flow-scheduled',
    { exit: 3, hint: `Unschedule it first, or change it with \`cordon flow edit ${name}\`` },
    `Cannot save ${JSON.stringify(name)} from a page: it runs by itself, and asks nobody`,
  )
}
