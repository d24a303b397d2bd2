/**
 * The bounds of a flow as a contract, from what its check foresees: every call that would ask, with the values that are
 * known before the run, the sources of those that are not, and how often it is made. A question without a limit is never
 * part of it. Pure: asks nothing and allows nothing.
 */
import { FILES } from '../../kernel/built-in-tools.ts'
import { CordonError } from '../../kernel/error.ts'
import type {
  ArgumentBound,
  BoundedArgument,
  BoundedStep,
  OpenStep,
  PlanBounds,
} from '../../kernel/plan-bounds.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Json } from '../../text/json.ts'
import { type Integrity, isTrusted, type Label, OWN_WORDS } from '../../labels/label.ts'
import type { Labelled } from '../../labels/labelled.ts'
import { EMPTY_STORE, scopeOf, withInputs } from '../engine/store-view.ts'
import { argumentsOf } from '../engine/step-values.ts'
import type { FlowIr, FlowNode } from '../language/ir.ts'
import { findReferences } from '../language/references.ts'
import { kept } from '../operators/peek.ts'
import { hashOf } from '../runs/run-plan.ts'
import type { Binding } from './bind-inputs.ts'
import type { CheckReport } from './check-flow.ts'
import type { ForeseenArgument, ForeseenStep } from './foresee.ts'

export interface BoundsRequest {
  /** Pinned. */
  readonly ir: FlowIr
  readonly report: Pick<CheckReport, 'steps' | 'bindings' | 'nodes' | 'graph'>
  readonly integrity: Integrity
  readonly principal: Principal
  /** The values that the run is given; an input that is missing here is not known yet. */
  readonly inputs: Readonly<Record<string, Labelled>>
  readonly flow: string
  /** The folder of the run, which the host adds to the arguments of file tools. */
  readonly folder?: string | undefined
  /** The owner's limit for amounts that are not known yet. */
  readonly mostAmount?: number | undefined
}

/** A person does not agree to more calls of one step at once. */
const MOST_TIMES = 100
/** Values in one argument that may hold several, such as a list of recipients. */
const MOST_VALUES = 10

export function planBounds(request: BoundsRequest): PlanBounds {
  const { ir, report, integrity, principal, flow } = request
  const asking = report.steps.filter(({ verdict }) => verdict.kind === 'ask')
  const judged = asking.map((step) => boundStep(request, step))
  return {
    flow,
    planHash: hashOf(ir),
    principal: principal.id,
    plan: integrity,
    steps: judged.flatMap((one) => ('why' in one ? [] : [one])),
    open: judged.flatMap((one) => ('why' in one ? [one] : [])),
  }
}

/**
 * A single question is better put in its own form when its values are known; and calls that are all known already are
 * shown one by one in one question.
 */
export function isWorthAsking({ steps }: PlanBounds): boolean {
  return steps.length > 1 && !steps.every(isExact)
}

function isExact({ times, isCertain, args }: BoundedStep): boolean {
  return times === 1 && isCertain && args.every(({ bound }) => bound.kind === 'fixed')
}

function boundStep(request: BoundsRequest, step: ForeseenStep): BoundedStep | OpenStep {
  const { node, facts, verdict, effect, control, isCertain } = step
  const { id: tool, serverName, hash, serverPin } = facts
  const times = timesOf(request, node)
  const open = (why: string): OpenStep => ({ node, tool, why })
  if (verdict.kind !== 'ask') return open('it is not a question')
  if (effect === 'exec') return open('it runs commands')
  if (times > MOST_TIMES) return open(`up to ${times} calls are too many to allow at once`)
  const args = argumentsIn(request, step)
  const unlimited = args.find(({ bound }) => bound.kind === 'amount' && !isLimit(bound.max))
  if (unlimited) {
    return open(`nothing limits ${JSON.stringify(unlimited.name)} before it is known`)
  }
  return {
    node,
    tool,
    serverName,
    effect,
    hash,
    serverPin,
    times,
    isCertain,
    control: control.integrity,
    rule: verdict.rule,
    reason: verdict.reason,
    args,
  }
}

function isLimit(max: number): boolean {
  return Number.isFinite(max) && max >= 0
}

/** Each further execution takes an edge whose `max` counts, so their sum limits all executions in the run. */
function timesOf({ report }: BoundsRequest, id: string): number {
  const { graph, nodes } = report
  const around = [...graph.bounded].filter(({ to }) => to === id || graph.reaches(to, id))
  const rounds = around.reduce((sum, { max = 0 }) => sum + max, 1)
  return rounds * (nodes.get(id)?.node.forEach?.max ?? 1)
}

function argumentsIn(request: BoundsRequest, step: ForeseenStep): readonly BoundedArgument[] {
  const { report, folder } = request
  const bindings = new Map((report.bindings.get(step.node) ?? []).map((one) => [one.name, one]))
  const node = report.nodes.get(step.node)?.node
  const args = step.args.map((argument): BoundedArgument => {
    const { name, role, label, from } = argument
    const { integrity, level, origins } = label
    const bound = boundOf(request, argument, bindings.get(name), node)
    return { name, role, bound, integrity, level, origins: [...origins].sort(), from }
  })
  if (step.facts.id.server !== FILES || folder === undefined) return args
  const { integrity, level } = OWN_WORDS
  const bound: ArgumentBound = { kind: 'fixed', value: folder }
  const own = { name: 'folder', role: 'target', integrity, level, origins: [], from: ['Cordon'] }
  return [...args, { ...own, bound }]
}

function boundOf(
  request: BoundsRequest,
  { role, label }: ForeseenArgument,
  binding: Binding | undefined,
  node: FlowNode | undefined,
): ArgumentBound {
  const value = binding && knownValue(request, binding, node)
  if (value !== undefined) return { kind: 'fixed', value }
  if (role === 'content') return { kind: 'content' }
  if (role === 'amount') return { kind: 'amount', max: request.mostAmount ?? Number.NaN }
  if (isTrusted(label)) return { kind: 'trusted' }
  return variesBy(label, binding)
}

function variesBy({ bound }: Label, binding: Binding | undefined): ArgumentBound {
  const values = binding && ONE_VALUE.has(binding.type) ? 1 : MOST_VALUES
  if (bound?.kind === 'member' && bound.of !== undefined) {
    return { kind: 'member', of: bound.of, values }
  }
  return { kind: 'varies', values }
}

const ONE_VALUE: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean'])

/** The value of an argument that uses nothing but the flow itself and inputs that are given: no step changes it. */
function knownValue(
  { ir, inputs, integrity }: BoundsRequest,
  binding: Binding,
  node: FlowNode | undefined,
): Json | undefined {
  const { source } = binding
  const nodes = new Set(ir.nodes.map(({ id }) => id))
  const isGiven = (key: string): boolean =>
    Object.hasOwn(inputs, key) && !nodes.has(key) && key !== node?.forEach?.as
  const roots =
    source.kind === 'param'
      ? findReferences(source.value, '').map(({ path }) => path?.[0] ?? '')
      : [source.kind === 'store' ? source.key : '']
  if (!roots.every(isGiven)) return undefined
  const scope = scopeOf(withInputs(EMPTY_STORE, inputs), nodes)
  const own = { label: { ...OWN_WORDS, integrity }, place: binding.name }
  try {
    const value = argumentsOf([binding], scope, own)[binding.name]
    // The owner is shown the value itself, so it is opened as for storing.
    return value && (kept(value) as { readonly value: Json }).value
  } catch (error) {
    // A value that cannot be made is reported when the node has its turn.
    if (error instanceof CordonError) return undefined
    throw error
  }
}
