/**
 * The one door: every tool call of every caller passes here, and nothing calls a server any other way.
 * The order of the lines is the security argument: know the tool, decide, write it down, ask, look again, call, label
 * what comes back, close the record.
 */
import type { Disarmed } from '../text/disarmed.ts'
import type { Asked } from './approval.ts'
import { Capability } from './capability.ts'
import type { Json } from '../text/json.ts'
import { answerTree } from '../labels/answer-tree.ts'
import { isBuiltIn } from './built-in-tools.ts'
import { type FailedCall, isOwnFailure, ownFailure } from './call-failure.ts'
import type { ToldLabels } from './kept-labels.ts'
import { isAbove, type Label } from '../labels/label.ts'
import { joinedLabel } from '../labels/told-label.ts'
import { Labelled } from '../labels/labelled.ts'
import type { Approvals, Audit, Policy, Servers } from './ports.ts'
import type { CallRequest, CallResult, Task, ToolCall, ToolResult, Verdict } from './tool-call.ts'
import { looksUp, type ToolFacts } from './tool-facts.ts'

interface Deps {
  readonly policy: Policy
  readonly audit: Pick<Audit, 'begin'>
  readonly approvals: Approvals
  readonly servers: Pick<Servers, 'know' | 'call' | 'misfit'>
  /** Absent: no server is taken to remember what it was told. */
  readonly told?: Pick<ToldLabels, 'of' | 'raise'>
  /** Runs last before the call leaves, so that a caller can record on disk that the call may have happened. */
  readonly beforeCall?: (facts: ToolFacts) => Promise<void>
}

export async function callTool(
  deps: Deps,
  request: CallRequest,
  signal: AbortSignal,
): Promise<CallResult> {
  const known = deps.servers.know(request.tool, signal)
  const facts = known instanceof Promise ? await known : known
  const judged = judge(deps, request, facts)
  const { verdict, args, disarmed } = judged
  const { callId, principal, tool, trace } = request
  const kept = isBuiltIn(tool) && { label: joinedLabel(labelsOf(request)) }
  const more = { ...kept, ...(disarmed && { disarmed }), ...(trace !== undefined && { trace }) }
  const call: ToolCall = { callId, principal, tool, args, ...more }
  using entry = await deps.audit.begin(
    call,
    verdict,
    facts.effect,
    deps.policy.grounds?.(request, facts),
  )
  const refusal = isPlain(verdict) ? undefined : await refusalOf(deps, judged, signal)
  const answer = refusal ?? (await run(deps, call, judged, signal))
  const result = answer.kind === 'ok' ? await labelled(deps, judged, answer) : answer
  await entry.end(result.kind === 'ok' ? answer : result)
  return result
}

async function run(
  deps: Deps,
  call: ToolCall,
  judged: Judged,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { servers, beforeCall, told } = deps
  const { facts, request } = judged
  // Before the call is on record as begun: if this write fails, it is certain that the call did not leave.
  const raised = isBuiltIn(call.tool) ? undefined : told?.raise(call.tool.server, labelsOf(request))
  if (raised) await raised
  if (beforeCall) await beforeCall(facts)
  const result = await servers.call(Capability.issue(call, Date.now()), signal)
  return result.kind === 'failed' ? await withinCeiling(deps, judged, result) : result
}

/**
 * Judges calls that will come to the door soon, so that the owner is asked about all of them in one question. Permits
 * nothing: each call still passes the door, and finds its answer there.
 */
export async function askFirst(
  deps: Deps,
  requests: readonly CallRequest[],
  signal: AbortSignal,
): Promise<void> {
  const judged = await Promise.all(
    requests.map(async (one) => judge(deps, one, await deps.servers.know(one.tool, signal))),
  )
  const asked = judged.filter((one): one is Asked => one.verdict.kind === 'ask')
  const fits = async ({ request, args }: Asked): Promise<boolean> =>
    (await deps.servers.misfit({ tool: request.tool, args })) === undefined
  const fitting = await Promise.all(asked.map(fits))
  const wanted = asked.filter((_, at) => fitting[at])
  if (wanted.length > 1) await deps.approvals.askTogether(wanted, signal)
}

function judge({ policy }: Deps, request: CallRequest, facts: ToolFacts): Judged {
  const opened = policy.open(request, policy.decide(request, facts))
  const { verdict, args, changed } = opened
  return changed ? { ...changed, facts, verdict, args } : { request, facts, verdict, args }
}

interface Judged extends Omit<Asked, 'verdict'> {
  readonly verdict: Verdict
  readonly disarmed?: readonly Disarmed[]
}

/** Allowed without a grant or a plan, so nothing can refuse it any more. Most calls are, and skip an await. */
function isPlain(verdict: Verdict): boolean {
  return verdict.kind === 'allow' && !verdict.grants && !verdict.plan
}

type Refusal = Extract<ToolResult, { readonly kind: 'refused' }>

async function refusalOf(
  deps: Deps,
  { verdict, ...judged }: Judged,
  signal: AbortSignal,
): Promise<Refusal | undefined> {
  if (verdict.kind === 'allow') return await takeUses(deps, verdict, judged.request)
  const { rule, reason } = verdict
  if (verdict.kind === 'deny') return { kind: 'refused', reason, rule }
  const misfit = await deps.servers.misfit({ tool: judged.request.tool, args: judged.args })
  if (misfit !== undefined) return { kind: 'refused', rule: 'tool.arguments', reason: misfit }
  const answer = await deps.approvals.ask({ ...judged, verdict }, signal)
  if (answer.kind === 'refused') return answer
  // The owner took time to answer, and the approval holds only for the tool as it was when the question was put.
  const now = await deps.servers.know(judged.request.tool, signal)
  return isSame(now, judged.facts) ? undefined : VOID
}

/** Counts the call against everything that allowed it. Unless all of it is counted, the call is refused. */
async function takeUses(
  { approvals }: Deps,
  { grants = [], plan }: Extract<Verdict, { readonly kind: 'allow' }>,
  { callId }: CallRequest,
): Promise<Refusal | undefined> {
  for (const grant of grants) {
    if (!(await approvals.useGrant(grant))) return SPENT
  }
  if (!plan || (await approvals.usePlan?.({ ...plan, callId }))) return undefined
  return PLAN_SPENT
}

const SPENT: Refusal = {
  kind: 'refused',
  rule: 'grant.spent',
  reason: 'The grant that allowed it was used up or taken back meanwhile',
}

const PLAN_SPENT: Refusal = {
  kind: 'refused',
  rule: 'plan.spent',
  reason: 'The step has made all the calls that its plan was allowed',
}

const VOID: Refusal = {
  kind: 'refused',
  rule: 'approval.void',
  reason: 'The tool changed while the question was open, so the answer does not hold',
}

function isSame(now: ToolFacts, then: ToolFacts): boolean {
  return now.hash === then.hash && now.serverPin === then.serverPin && now.blocked === then.blocked
}

/** A failure quotes its server, which may repeat what it was told before: above the ceiling of the task, the words are dropped. */
async function withinCeiling(
  { told }: Deps,
  { request: { tool, task } }: Judged,
  failure: FailedCall,
): Promise<FailedCall> {
  const { template } = task
  if (!template || isOwnFailure(failure)) return failure
  const level = (await told?.of(tool.server))?.level
  if (level === undefined || !isAbove(level, template.ceiling)) return failure
  const { kind, code, rpcCode } = failure
  const reason = `The call failed. What its server said may be ${level} and was dropped: ${template.name} may not handle what is above ${template.ceiling}`
  return ownFailure({ kind, reason, ...(code && { code }), ...(rpcCode && { rpcCode }) })
}

type Answer = Extract<ToolResult, { readonly kind: 'ok' }>

/**
 * An answer may repeat the arguments, and everything that the server was told before, so a call never makes data less
 * confidential: it is no declassification.
 */
async function labelled(
  { told }: Deps,
  { request: { tool, args, task }, facts, disarmed }: Judged,
  { value, label, labels, usage, ...more }: Answer,
): Promise<CallResult> {
  // Built-in tools keep nothing but files and facts, and those have labels of their own.
  const looked = isBuiltIn(tool) ? undefined : told?.of(tool.server)
  const before = looked instanceof Promise ? await looked : looked
  const given = Object.entries(args).map(([name, arg]) => ({
    label: arg.label,
    looksUp: looksUp(facts, name),
  }))
  if (before) given.push({ label: before, looksUp: false })
  const answer = new Labelled(value, answerTree(labels ?? { label }, given))
  const besides = labelBesides(more, (data) => new Labelled(data, answerTree({ label }, given)))
  const about = { ...(disarmed && { disarmed }), ...(usage && { usage }) }
  const ok = { kind: 'ok', value: answer, ...besides, ...about } as const
  return aboveCeiling(task, answer) ?? ok
}

function labelBesides(
  { beside, meta }: Pick<Answer, 'beside' | 'meta'>,
  label: (data: Json) => Labelled,
): { readonly beside?: Labelled; readonly meta?: Labelled } {
  return {
    ...(beside !== undefined && { beside: label(beside) }),
    ...(meta !== undefined && { meta: label(meta) }),
  }
}

/** The call was made, and cannot be taken back; its answer is dropped, so that the task never handles it. */
function aboveCeiling({ template }: Task, answer: Labelled): Refusal | undefined {
  if (!template || !isAbove(answer.label.level, template.ceiling)) return undefined
  const { name, ceiling } = template
  const reason = `The call was made, but its answer is ${answer.label.level} and was dropped: ${name} may not handle what is above ${ceiling}`
  return { kind: 'refused', rule: 'template.ceiling', reason }
}

function labelsOf({ args }: CallRequest): readonly Label[] {
  return Object.values(args).map((arg) => arg.label)
}
