/** The budget of calls of one run. */
import type { StepPlace } from './journal.ts'
import type { RunContext } from './run-context.ts'
import { StepFailed } from './run-ends.ts'

/** A list and a loop multiply calls, so steps have a budget and calls have one as well. */
export function spendCall({ progress, deps }: RunContext, { node }: StepPlace): void {
  const { maxCalls } = deps.settings
  if (progress.calls >= maxCalls) {
    throw new StepFailed({
      code: 'flows.too-many-calls',
      message: `Cannot go on with ${JSON.stringify(node)}: a run makes ${maxCalls} calls at most, and this one has made them`,
      hint: 'Take fewer items, lower the "max" of its loops, or raise max_calls in [flows] of config.toml',
      node,
    })
  }
  progress.calls += 1
}
