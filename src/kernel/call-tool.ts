/**
 * The one door: every tool call of every caller passes here, and nothing calls a server any other way.
 * The order of the lines is the security argument: know the tool, decide, write it down, ask, look again, call, label
 * what comes back, close the record.
 */
import type { Asked } from './approval.ts'
import { Capability } from './capability.ts'
import { Labelled } from './labelled.ts'
import type { Approvals, Audit, Policy, Servers } from './ports.ts'
import type { CallRequest, CallResult, ToolCall, ToolResult, Verdict } from './tool-call.ts'
import type { ToolFacts } from './tool-facts.ts'

interface Rooms {
  readonly policy: Policy
  readonly audit: Pick<Audit, 'begin'>
  readonly approvals: Approvals
  readonly servers: Pick<Servers, 'know' | 'call' | 'misfit'>
}

export async function callTool(
  rooms: Rooms,
  request: CallRequest,
  signal: AbortSignal,
): Promise<CallResult> {
  const known = rooms.servers.know(request.tool, signal)
  const facts = known instanceof Promise ? await known : known
  const { verdict, args } = rooms.policy.open(request, rooms.policy.decide(request, facts))
  const { callId, principal, tool } = request
  const call: ToolCall = { callId, principal, tool, args }
  await using entry = await rooms.audit.begin(call, verdict, facts.effect)
  // Most calls are simply allowed, and need not wait to hear it.
  const isPlain = verdict.kind === 'allow' && !verdict.grants
  const judged = { request, facts, verdict, args }
  const refusal = isPlain ? undefined : await refusalOf(rooms, judged, signal)
  const result = await entry.end(refusal ?? (await run(rooms, call, signal)))
  return result.kind === 'ok' ? { kind: 'ok', value: label(result) } : result
}

function run({ servers }: Rooms, call: ToolCall, signal: AbortSignal): Promise<ToolResult> {
  return servers.call(Capability.issue(call, Date.now()), signal)
}

interface Judged extends Omit<Asked, 'verdict'> {
  readonly verdict: Verdict
}

type Refusal = Extract<ToolResult, { readonly kind: 'refused' }>

async function refusalOf(
  rooms: Rooms,
  { verdict, ...judged }: Judged,
  signal: AbortSignal,
): Promise<Refusal | undefined> {
  if (verdict.kind === 'allow') {
    for (const grant of verdict.grants ?? []) {
      if (!(await rooms.approvals.useGrant(grant))) return SPENT
    }
    return undefined
  }
  const { rule, reason } = verdict
  if (verdict.kind === 'deny') return { kind: 'refused', reason, rule }
  const misfit = await rooms.servers.misfit({ tool: judged.request.tool, args: judged.args })
  if (misfit !== undefined) return { kind: 'refused', rule: 'tool.arguments', reason: misfit }
  const answer = await rooms.approvals.ask({ ...judged, verdict }, signal)
  if (answer.kind === 'refused') return answer
  // It took its time, and holds only for the tool as it was.
  const now = await rooms.servers.know(judged.request.tool, signal)
  return isSame(now, judged.facts) ? undefined : VOID
}

const SPENT: Refusal = {
  kind: 'refused',
  rule: 'grant.spent',
  reason: 'The grant that allowed it was used up or taken back meanwhile',
}

const VOID: Refusal = {
  kind: 'refused',
  rule: 'approval.void',
  reason: 'The tool changed while the question was open, so the answer does not hold',
}

function isSame(now: ToolFacts, then: ToolFacts): boolean {
  return now.hash === then.hash && now.serverPin === then.serverPin && now.blocked === then.blocked
}

function label({ value, label, labels }: ToolResult & { readonly kind: 'ok' }): Labelled {
  return new Labelled(value, labels ?? { label })
}
