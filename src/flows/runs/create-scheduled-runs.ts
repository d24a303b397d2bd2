/** The operations on runs that only schedules need: whether the last one goes on, and one for a start that failed. */
import type { ScheduledRuns } from '../../ports/scheduled-runs-port.ts'
import type { FlowDeps } from '../flow-deps.ts'
import { record, runStart } from './create-runs.ts'
import type { FlowRuntime } from './flow-runtime.ts'
import { planRefused } from './run-plan.ts'

export function createScheduledRuns(
  deps: Pick<FlowDeps, 'audit' | 'owner' | 'home'>,
  runtime: Pick<FlowRuntime, 'find' | 'start'>,
): ScheduledRuns {
  return {
    async leaveRefused(start, problem) {
      const details = { code: problem.code, by: start.principal.id }
      record(deps, 'flows.refused', start.id, details)
      await runtime.start(runStart(start, planRefused(start, problem), deps))
    },
    isOpen: async (id) => (await runtime.find(id))?.state === 'running',
  }
}
