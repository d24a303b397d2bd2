/**
 * Checks a flow for somebody who looks at it: what is wrong with it, and on request what keeps it from running now. Runs
 * and starts nothing.
 */
import type { CheckedFor } from '../../ports/checked-for.ts'
import type { FlowCheck, FlowFinding, FlowSource } from '../../ports/flow-port.ts'
import { isAbove } from '../../labels/label.ts'
import type { Template } from '../../kernel/tool-call.ts'
import type { FlowDeps } from '../flow-deps.ts'
import { readNodes } from '../nodes/read-nodes.ts'
import { readSource } from '../language/read-source.ts'
import { planIntegrity, UNSAVED_FILE } from '../runs/plan-integrity.ts'
import { templateFor } from '../runs/prepare-run.ts'
import type { CheckReport } from './check-flow.ts'
import { errorAt } from './finding.ts'
import { findUnready, scopeFindings, unreadyFindings } from './find-unready.ts'
import { foreseeFlow, tellCheck } from './foresee-flow.ts'
import { inputFindings, wrongOwnInputs } from './input-findings.ts'

interface CheckedNow extends CheckedFor {
  readonly source: FlowSource
  readonly given: readonly string[] | undefined
}

export async function checkNow(
  deps: FlowDeps,
  { source, given, now, template: name, inputs = {} }: CheckedNow,
  signal: AbortSignal,
): Promise<FlowCheck> {
  const nodeIndex = await readNodes(deps, source, signal)
  const { ir } = await readSource(deps, source, nodeIndex, given?.includes('stdin') ?? false)
  const { owner: principal, door } = deps
  const plan = await planIntegrity(deps, { principal, source }, nodeIndex)
  const template = await templateFor(deps, name)
  const report = foreseeFlow({
    ir,
    nodeIndex,
    policy: door.policy,
    principal,
    plan,
    template,
    ...(given && { given: new Set(given) }),
  })
  const unready = await findUnready(deps, report.nodes.values())
  const found = [
    ...scopeFindings(unready),
    ...(now ? [...unreadyFindings(unready), ...inputFindings(ir, report, given ?? [])] : []),
    ...wrongOwnInputs(ir, inputs),
    ...ceilingFindings(report, template),
    ...(plan === 'user' ? [] : [UNSAVED_FILE]),
  ]
  const isSound = report.isSound && found.every(({ severity }) => severity !== 'error')
  return tellCheck(ir, { ...report, isSound, findings: [...report.findings, ...found] })
}

function ceilingFindings(
  { safety }: CheckReport,
  template: Template | undefined,
): readonly FlowFinding[] {
  if (!template || !isAbove(safety.level, template.ceiling)) return []
  const message = `The flow reads what is ${safety.level}, and ${JSON.stringify(template.name)} allows nothing above ${template.ceiling}`
  const hint = `Raise \`data_ceiling\` of [templates.${template.name}] in config.toml, or use another template`
  return [errorAt('', 'template.ceiling', message, hint)]
}
