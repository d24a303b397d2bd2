/** The limits of a run that its owner did not start in person, as they are now: a template may be tightened while a run waits. */
import { CordonError } from '../../kernel/error.ts'
import type { FlowProblem } from '../../ports/flow-port.ts'
import type { Template } from '../../kernel/tool-call.ts'
import type { RunPlan } from '../runs/run-plan.ts'
import type { EngineDeps } from './run-context.ts'
import { StepFailed } from './run-ends.ts'

/** The template as configured now, so limits that the owner tightened since the start apply. */
export async function templateNow(
  deps: Pick<EngineDeps, 'template'>,
  { options }: RunPlan,
): Promise<Template | undefined> {
  if (options.template === undefined) return undefined
  const template = await deps.template(options.template).catch(endsRun)
  if (!template) throw new StepFailed(noTemplate(options.template))
  return template
}

/** Not a database error, so retrying cannot help: fail the run. */
export function endsRun(error: unknown): never {
  if (!(error instanceof CordonError)) throw error
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
