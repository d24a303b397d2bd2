/** The limits of a run that its owner did not start in person, as they are now: a template may be tightened while a run waits. */
import { CordonError } from '../../kernel/error.ts'
import type { FlowProblem } from '../../ports/flow-port.ts'
import type { Template } from '../../kernel/tool-call.ts'
import type { OwnedRun } from '../runs/flow-runtime.ts'
import { isAway } from '../runs/run-errors.ts'
import { type Need, templateLack } from '../runs/run-needs.ts'
import type { RunPlan } from '../runs/run-plan.ts'
import type { EngineDeps } from './run-context.ts'
import { RunUnserved, StepFailed } from './run-ends.ts'

/**
 * The template as configured now, so limits that the owner tightened since the start apply. On a shared log another
 * kernel may have the template that this one lacks, so the run is given back instead of failed.
 */
export async function templateNow(
  deps: Pick<EngineDeps, 'template'>,
  { options }: Pick<RunPlan, 'options'>,
  { isShared, needs }: Pick<OwnedRun, 'isShared' | 'needs'>,
): Promise<Template | undefined> {
  const { template: name } = options
  if (name === undefined) return undefined
  if (isShared) {
    const lack = await templateLack(deps, name)
    if (lack !== undefined) throw new RunUnserved(needOf(needs, name), lack)
  }
  const template = await deps.template(name).catch(endsRun)
  if (!template) throw new StepFailed(noTemplate(name))
  return template
}

function needOf(needs: readonly string[], name: string): string {
  const need: Need = { kind: 'template', name }
  return needs.find((one) => one === JSON.stringify(need)) ?? ''
}

/** Fails the run, except after a database error: the run is given back then, and tried again. */
export function endsRun(error: unknown): never {
  if (!(error instanceof CordonError) || isAway(error)) throw error
  const { code, message, hint } = error
  throw new StepFailed({ code, message, hint })
}

function noTemplate(name: string): FlowProblem {
  return {
    code: 'flows.no-template',
    message: `Cannot run the flow: there is no template ${JSON.stringify(name)}`,
    hint: 'Add it to config.toml, or start the flow with another one',
  }
}
