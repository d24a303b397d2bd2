/**
 * One call of a client, through the one door. The client's model wrote the arguments, after everything it has read in this
 * session: they carry the session's label, and the step counts as planned by whoever wrote that. The result raises the
 * label before the client sees it, and so does a failure: unless it is marked as Cordon's own, a server may have written it.
 */
import { hash, randomUUID } from 'node:crypto'
import { isOwnFailure } from '../kernel/call-failure.ts'
import { callTool } from '../kernel/call-tool.ts'
import type { ToldLabels } from '../kernel/kept-labels.ts'
import { nonInteractive } from '../kernel/non-interactive.ts'
import type { Approvals, Audit, Policy, Servers } from '../kernel/ports.ts'
import type { CallRequest, CallResult } from '../kernel/tool-call.ts'
import type { ToolId } from '../kernel/tool-id.ts'
import { joinLabels, type Label } from '../labels/label.ts'
import { canonicalJson, type JsonObject } from '../text/json.ts'
import {
  type ClientSession,
  raiseLabel,
  registrationOf,
  saidBy,
  wordsLabel,
} from './client-session.ts'
import { labelArguments } from './label-arguments.ts'
import { createWaitingCalls, type WaitingCalls } from './waiting-calls.ts'

export interface DoorDeps {
  readonly policy: Policy
  readonly audit: Pick<Audit, 'begin'>
  readonly approvals: Approvals
  readonly servers: Pick<Servers, 'know' | 'call' | 'misfit'>
  readonly told: Pick<ToldLabels, 'of' | 'raise'>
  /** Absent: calls that wait are remembered in this process. */
  readonly waiting?: WaitingCalls
}

export interface ClientCall {
  readonly callId: string
  readonly tool: ToolId
  readonly args: JsonObject
  /** Its signal aborts when the client's own timeout is near: the question to the owner stays open without the client. */
  leave(): AbortSignal
  /** The span of the call (W3C `traceparent`), which its server is told. */
  readonly trace?: string
}

export type CallForClient = (
  session: ClientSession,
  call: ClientCall,
  signal: AbortSignal,
) => Promise<CallResult>

export function createClientCalls(deps: DoorDeps): CallForClient {
  const { waiting = createWaitingCalls(Date.now) } = deps
  return async (session, call, signal) => {
    const label = wordsLabel(session)
    const about = { session, call, label }
    const args = labelArguments(session, call.args, label)
    if (typeof args === 'string') return { kind: 'refused', rule: 'tool.arguments', reason: args }
    const same = { principal: registrationOf(session), key: () => keyOf(about) }
    const found = waiting.take(same)
    const { task = randomUUID(), mayLeave } = found instanceof Promise ? await found : found
    const request = requestFor(about, args, task)
    const approvals = approvalsFor(deps.approvals, about, mayLeave)
    const result = await callTool({ ...deps, approvals }, request, signal)
    if (isWaiting(result)) await waiting.keep(same, task)
    if (result.kind === 'ok') raiseLabel(session, result.value.label)
    if (result.kind === 'failed' && !isOwnFailure(result)) {
      raiseLabel(session, await quotedIn(deps, request))
    }
    return result
  }
}

/** A failure quotes its server, and like an answer it may repeat the arguments and what the server was told before. */
async function quotedIn(
  { told }: Pick<DoorDeps, 'told'>,
  { tool, args }: CallRequest,
): Promise<Label> {
  const before = await told.of(tool.server)
  const given = Object.values(args).map(({ label }) => label)
  return [...given, ...(before ? [before] : [])].reduce(joinLabels, saidBy(tool.server))
}

/** A call of a client, judged under the label that its words had when it was made. */
interface Judged {
  readonly session: ClientSession
  readonly call: ClientCall
  readonly label: Label
}

function requestFor(
  { session, call, label }: Judged,
  args: CallRequest['args'],
  task: string,
): CallRequest {
  const { callId, tool, trace } = call
  const { integrity, level, origins } = label
  return {
    callId,
    principal: session.principal,
    tool,
    args,
    ...(trace !== undefined && { trace }),
    task: {
      id: task,
      step: '1',
      plan: integrity,
      control: { integrity, bits: 0, level, origins: [...origins] },
      callsBefore: 0,
      template: session.template,
    },
  }
}

/**
 * A client that gives up, by a cancellation or by hanging up, only leaves: the question stays open, and the owner's late
 * yes waits for the same call. A client that has left many questions behind takes each next one with it.
 */
function approvalsFor(
  approvals: Approvals,
  { session, call }: Judged,
  mayLeave: boolean,
): Approvals {
  if (session.client.taint === 'deny') return nonInteractive(approvals)
  return {
    ask: (asked, signal) =>
      mayLeave
        ? approvals.ask(asked, NEVER, AbortSignal.any([signal, call.leave()]))
        : approvals.ask(asked, signal, call.leave()),
    askTogether: (asked, signal) => approvals.askTogether(asked, signal),
    useGrant: (id) => approvals.useGrant(id),
    usePlan: async (use) => (await approvals.usePlan?.(use)) ?? false,
  }
}

export function isWaiting(result: CallResult): boolean {
  return result.kind === 'refused' && result.rule === 'approval.waiting'
}

const NEVER = new AbortController().signal

/** The same bytes of the same client under the same label. */
function keyOf({ session, call, label }: Judged): string {
  const { level, integrity, origins } = label
  const { server, name } = call.tool
  const about = [registrationOf(session), server, name, level, integrity, [...origins].sort()]
  return hash('sha256', canonicalJson([...about, call.args]))
}
