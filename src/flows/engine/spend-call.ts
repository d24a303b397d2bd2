/** Two budgets of calls: of the run, and of the program behind it. */
import { isBuiltIn } from '../../kernel/built-in-tools.ts'
import type { CallStep } from './call-step.ts'
import { waitFor } from './judge-failure.ts'
import type { RunContext } from './run-context.ts'
import { StepFailed } from './run-ends.ts'

/** A list and a loop multiply calls, so steps have a budget and calls have one as well. */
export async function spendCall(context: RunContext, step: CallStep): Promise<void> {
  const { progress, deps } = context
  const { node } = step.place
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
  await withinBudget(context, step)
}

/** The run waits instead of failing: it has a budget of calls a minute, and no client waits for it in silence. */
async function withinBudget(context: RunContext, { turn }: CallStep): Promise<void> {
  const { deps, plan } = context
  const { template } = plan.options
  const { tool } = turn.planned
  if (!deps.budgetWait || template === undefined || !tool || isBuiltIn(tool)) return
  for (;;) {
    const ms = deps.budgetWait(template)
    if (ms === undefined) return
    await waitFor(context, deps.waitNow() + ms)
  }
}
