/**
 * Whether a call stays inside the bounds of a plan that its owner approved. Every part is compared: run, plan, principal,
 * step, tool and pins, number of calls, each argument with its value and its labels. Anything unknown is outside.
 */
import { canonicalJson, type Json } from '../text/json.ts'
import { isAbove, isTrusted, type Label } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import { RevealToken } from '../labels/reveal-token.ts'
import type {
  ApprovedPlan,
  ArgumentBound,
  BoundedArgument,
  BoundedStep,
  PlanBounds,
} from '../kernel/plan-bounds.ts'
import type { CallRequest, Task } from '../kernel/tool-call.ts'
import type { ToolFacts } from '../kernel/tool-facts.ts'
import type { PlanPermit } from './question.ts'

/** The questions that every plan may answer ahead; `regulated` data only where its bounds say so. */
const COVERED: ReadonlySet<string> = new Set([
  'flow',
  'flow.regulated',
  'destructive',
  'target.external',
  'plan.external',
])
/** The questions that no plan answers. */
const NEVER: ReadonlySet<string> = new Set([
  'exec',
  'otherwise',
  'plan.reads',
  'plan.writes',
  'template.writes',
])

/** A rule that was foreseen for the step stands on the owner's screen with its reason, so it is covered as well. */
export function isCovered(rule: string, { rule: foreseen, effect }: Foreseen): boolean {
  if (NEVER.has(rule) || effect === 'exec') return false
  return COVERED.has(rule) || rule === foreseen
}

type Foreseen = Pick<BoundedStep, 'rule' | 'effect'>

/** The step of the plan that permits this call, if it has calls left. */
export function permitFor(
  plan: ApprovedPlan | undefined,
  request: CallRequest,
  facts: ToolFacts,
): PlanPermit | undefined {
  if (plan?.taskId !== request.task.id) return undefined
  const step = stepWithin(request, facts, plan.bounds)
  if (!step) return undefined
  const { used, approval } = plan
  const made = [...used.values()].filter((node) => node === step.node).length
  return used.has(request.callId) || made < step.times ? { approval, step } : undefined
}

export function isWithinBounds(
  request: CallRequest,
  facts: ToolFacts,
  bounds: PlanBounds,
): boolean {
  return stepWithin(request, facts, bounds) !== undefined
}

function stepWithin(
  request: CallRequest,
  facts: ToolFacts,
  bounds: PlanBounds,
): BoundedStep | undefined {
  const { task, principal, args } = request
  const isSamePlan = task.planHash === bounds.planHash && task.plan === bounds.plan
  if (!isSamePlan || principal.id !== bounds.principal || isAskedAlone(task)) return undefined
  const step = bounds.steps.find(({ node }) => node === task.node)
  if (!step || !isSameTool(step, facts) || !isChosenAsForeseen(step, request)) return undefined
  const known = new Map(step.args.map((one) => [one.name, one]))
  const isInside = Object.entries(args).every(([name, value]) => {
    const one = known.get(name)
    return one !== undefined && isArgumentWithin(value, one)
  })
  // An argument that steers and is missing could change what the call means.
  const isWhole = step.args.every(
    ({ name, bound }) => bound.kind === 'content' || Object.hasOwn(args, name),
  )
  return isInside && isWhole ? step : undefined
}

/** No plan was put to the owner for such a task. */
function isAskedAlone({ template, asksForWrites, asksForRead }: Task): boolean {
  return template !== undefined || asksForWrites === true || asksForRead === true
}

function isSameTool(step: BoundedStep, { id, hash, serverPin, effect }: ToolFacts): boolean {
  const { tool } = step
  const isPinned = hash === step.hash && serverPin === step.serverPin && effect === step.effect
  return tool.server === id.server && tool.name === id.name && isPinned
}

function isChosenAsForeseen({ control }: BoundedStep, { task }: CallRequest): boolean {
  return isTrusted(task.control) || !isTrusted({ integrity: control })
}

function isArgumentWithin(value: Labelled, argument: BoundedArgument): boolean {
  const { label } = value
  if (isAbove(label.level, argument.level)) return false
  if (![...label.origins].every((origin) => argument.origins.includes(origin))) return false
  return isValueWithin(value, label, argument.bound)
}

function isValueWithin(value: Labelled, label: Label, bound: ArgumentBound): boolean {
  if (bound.kind === 'content') return true
  if (bound.kind === 'trusted') return isTrusted(label)
  const bare = Labelled.reveal(value, RevealToken.issue())
  if (bound.kind === 'fixed') return spell(bare) === spell(bound.value)
  if (bound.kind === 'amount') return typeof bare === 'number' && bare >= 0 && bare <= bound.max
  // A trusted value in the place of an untrusted one was not chosen by others at all.
  return isTrusted(label) || mayVary(bare, label, bound)
}

type Varying = Extract<ArgumentBound, { readonly kind: 'varies' | 'member' }>

function mayVary(bare: Json, label: Label, bound: Varying): boolean {
  if (countValues(bare, bound.values) > bound.values) return false
  if (bound.kind === 'varies') return true
  return label.bound?.kind === 'member' && label.bound.of === bound.of
}

/** Counts no further than one beyond the limit: a list of others may be of any length. */
function countValues(value: Json, most: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = Array.isArray(value) ? 0 : Object.keys(value).length
  for (const member of Object.values(value)) {
    if (count > most) break
    count += countValues(member, most - count)
  }
  return count
}

/** A value without canonical JSON equals nothing. */
function spell(value: Json): string | symbol {
  try {
    return canonicalJson(value)
  } catch {
    return Symbol('no spelling')
  }
}
