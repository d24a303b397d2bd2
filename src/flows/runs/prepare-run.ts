/**
 * Checks that a run can start: the flow is sound, its inputs are given, and its servers can be used. Starts nothing.
 */
import type { StartFlow } from '../../ports/flow-port.ts'
import type { PrincipalKind } from '../../kernel/principal.ts'
import { type Integrity, type Label, OWN_WORDS } from '../../labels/label.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import { Labelled } from '../../labels/labelled.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Template } from '../../kernel/tool-call.ts'
import type { PlanBounds } from '../../kernel/plan-bounds.ts'
import { findUnready } from '../check/find-unready.ts'
import { type BoundsRequest, isWorthAsking, planBounds } from '../check/plan-bounds.ts'
import { type CheckReport, STDIN_WORDS } from '../check/check-flow.ts'
import { planIntegrity } from './plan-integrity.ts'
import { planRun, type RunPlan, wordsFrom } from './run-plan.ts'
import { flowError } from '../flow-errors.ts'
import type { FlowDeps } from '../flow-deps.ts'
import type { Finding } from '../check/finding.ts'
import { foreseeFlow } from '../check/foresee-flow.ts'
import { inputFindings, wrongInputs } from '../check/input-findings.ts'
import { readStdin } from '../grammar/read-value.ts'
import { missingInputError } from '../grammar/to-ir.ts'
import { type FlowIr, nodeTitle } from '../language/ir.ts'
import { pinFlow } from '../check/pin-flow.ts'
import { readNodes } from '../nodes/read-nodes.ts'
import { readSource } from '../language/read-source.ts'

const MAX_TITLE = 200
const MOST_TOLD = 20

export async function prepareRun(
  deps: FlowDeps,
  start: StartFlow,
  signal: AbortSignal,
): Promise<RunPlan> {
  const { ir, integrity, given, report } = await foreseeStart(deps, start, signal)
  refuseUnsound(withTyped(ir, report, start))
  await refuseUnready(deps, report)
  const inputs = { ...defaultsOf(ir, integrity, wordsFrom(start)), ...given }
  const pinned = pinFlow(ir, report)
  const flow = titleOf(ir)
  const bounds = boundsFor(start, { ir: pinned, report, integrity, inputs, flow })
  return planRun({ ir: pinned, report, integrity, inputs, start, flow, bounds })
}

/** An input that the flow does not take is refused: it may be another one that was meant. */
function withTyped(ir: FlowIr, report: CheckReport, { inputs }: StartFlow): CheckReport {
  return withErrors(report, inputFindings(ir, report, Object.keys(inputs)))
}

/** Before the inputs that are missing, which `refuseUnsound` would name instead. */
export function withErrors(report: CheckReport, errors: readonly Finding[]): CheckReport {
  if (errors.length === 0) return report
  return { ...report, isSound: false, needs: [], findings: [...report.findings, ...errors] }
}

interface ForeseenRun {
  readonly ir: FlowIr
  readonly integrity: Integrity
  readonly given: Readonly<Record<string, Labelled>>
  readonly report: CheckReport
}

/** The check of exactly this start. */
export async function foreseeStart(
  deps: FlowDeps,
  start: StartFlow,
  signal: AbortSignal,
): Promise<ForeseenRun> {
  const { folder } = start
  const nodeIndex = await readNodes(deps, { isTrustedPure: start.trust.length > 0, folder }, signal)
  const { ir } = await readSource(deps, start.source, nodeIndex, start.stdin !== undefined)
  const given = inputsFrom(ir, start)
  const integrity = await planIntegrity(deps, start, nodeIndex)
  const report = foreseeFlow({
    ir,
    nodeIndex,
    policy: deps.door.policy,
    principal: start.principal,
    plan: integrity,
    words: wordsFrom(start),
    template: await templateFor(deps, start.template),
    given: new Set(Object.keys(given)),
    inputLabels: new Map(Object.entries(given).map(([key, one]) => [key, one.tree])),
  })
  return { ir, integrity, given, report: withErrors(report, wrongInputs(ir, given)) }
}

/**
 * Only for an owner who can be asked: a run with a template, or of somebody else, has no plan to agree to. A run that asks
 * about every change asks call by call.
 */
function boundsFor(
  { principal, approval, template, mostAmount, folder, asksForWrites, asksForReads }: StartFlow,
  prepared: Pick<BoundsRequest, 'ir' | 'report' | 'integrity' | 'inputs' | 'flow'>,
): PlanBounds | undefined {
  if (approval !== 'wait' || principal.kind !== 'owner' || template !== undefined) return undefined
  if (asksForWrites || asksForReads) return undefined
  const bounds = planBounds({ ...prepared, principal, mostAmount, folder })
  return isWorthAsking(bounds) ? bounds : undefined
}

export async function templateFor(
  deps: Pick<FlowDeps, 'template'>,
  template: string | undefined,
): Promise<Template | undefined> {
  if (template === undefined) return undefined
  const found = await deps.template(template)
  if (found) return found
  throw flowError(
    'flows.no-template',
    `Cannot start the flow: there is no template ${JSON.stringify(template)}`,
    'Add it to config.toml, or name another one',
  )
}

function inputsFrom(ir: FlowIr, start: StartFlow): Readonly<Record<string, Labelled>> {
  const tree: LabelTree = { label: INPUT_LABELS[start.principal.kind], from: { kind: 'user' } }
  const typed = Object.entries(start.inputs).map(([key, value]) => {
    return [key, new Labelled(value, tree)] as const
  })
  return { ...pipedInto(ir, start), ...start.labelled, ...Object.fromEntries(typed) }
}

/** A schedule gives the inputs that the owner wrote into it; a paired person's words are untrusted. A further kind of principal does not compile until it is listed. */
const INPUT_LABELS: Readonly<Record<PrincipalKind, Label>> = {
  owner: OWN_WORDS,
  cron: OWN_WORDS,
  paired: { ...OWN_WORDS, integrity: 'external' },
  client: { ...OWN_WORDS, integrity: 'external' },
}

/** Standard input as `stdin`, and as each input that is declared with `stdin: true`. */
function pipedInto(ir: FlowIr, { stdin }: StartFlow): Readonly<Record<string, Labelled>> {
  if (stdin === undefined) return {}
  const tree: LabelTree = { label: STDIN_WORDS, from: { kind: 'host', what: 'standard input' } }
  const inputs = Object.entries(ir.inputs).filter(([, input]) => input.stdin === true)
  const values = inputs.map(([key, { type }]) => {
    const read = readStdin(stdin, type)
    if (read.kind === 'value') return [key, new Labelled(read.value, tree)] as const
    throw flowError(
      'flows.bad-stdin',
      `Cannot use what was piped in as ${JSON.stringify(key)}: it is not ${read.expected}`,
      `Pipe in ${read.expected}, or give it with --${key}`,
    )
  })
  return { stdin: new Labelled(stdin, tree), ...Object.fromEntries(values) }
}

export function defaultsOf(
  ir: FlowIr,
  integrity: Integrity,
  words: Label = OWN_WORDS,
): Readonly<Record<string, Labelled>> {
  const tree: LabelTree = {
    label: { ...words, integrity },
    ...(integrity === 'user' && { from: { kind: 'user' } }),
  }
  const values = Object.entries(ir.inputs).flatMap(([key, { default: value }]) =>
    value === undefined ? [] : [[key, new Labelled(value, tree)] as const],
  )
  return Object.fromEntries(values)
}

export function refuseUnsound({ isSound, findings, needs }: CheckReport): void {
  if (isSound) return
  if (needs.length > 0) {
    throw missingInputError(
      needs.map(({ name, type, node }) => ({ key: name, name, type, node, mayArrive: false })),
    )
  }
  const errors = findings.filter(({ severity }) => severity === 'error')
  const [first] = errors
  const lines = errors.slice(0, MOST_TOLD).map(({ place, message, hint }) => {
    return `\n  ${place}: ${message}${errors.length === 1 ? '' : `. ${hint}`}`
  })
  const isChanged = errors.every(({ code }) => code === 'pin.changed')
  throw flowError(
    isChanged ? 'flows.pin-changed' : 'flows.unsound',
    `Cannot start the flow:${lines.join('')}`,
    first && errors.length === 1 ? first.hint : 'Run `cordon flow check` to see all of it',
  )
}

/** Checked before the start, so that the run does not fail halfway. */
async function refuseUnready(deps: FlowDeps, { nodes }: CheckReport): Promise<void> {
  const [unready] = await findUnready(deps, nodes.values())
  if (!unready) return
  const { message, hint } = unready.problem
  throw new CordonError(
    'flows.not-ready',
    { exit: 5, hint: `${hint}, then start the flow again` },
    `Cannot start the flow: ${message}`,
  )
}

export function titleOf({ metadata, nodes }: FlowIr): string {
  const title = metadata.name ?? nodes.map(nodeTitle).join(' >> ')
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title
}
