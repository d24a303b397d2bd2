/** `~/` at the start of a value that the owner said, as a path: only for a server that was given a folder there. */
import type { Plan, PlannedStep, PlannedValue } from './plan-port.ts'
import { expandHome } from '../text/expand-home.ts'
import { mapRecord } from '../text/map-record.ts'
import { mapValue } from './plan-flow.ts'
import type { TurnDeps } from './turn-deps.ts'

export async function expandPaths(
  { aboutServer }: Pick<TurnDeps, 'aboutServer'>,
  plan: Plan,
): Promise<Plan> {
  const expand = async ({ tool, args }: PlannedStep): Promise<PlannedStep> => {
    const { place } = await aboutServer(tool.server)
    const full = (value: PlannedValue): PlannedValue =>
      value.kind === 'literal' && typeof value.value === 'string'
        ? { kind: 'literal', value: expandHome(value.value, place) }
        : value
    return { tool, args: mapRecord(args, (value) => mapValue(value, full)) }
  }
  return { ...plan, steps: await Promise.all(plan.steps.map(expand)) }
}
