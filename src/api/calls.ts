/** The route by which the owner calls a tool: through the one door, as a task of one step. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { ApprovalQueue } from '../kernel/approval-port.ts'
import { callTool } from '../kernel/call-tool.ts'
import { CordonError } from '../kernel/error.ts'
import type { Json } from '../text/json.ts'
import type { ToldLabels } from '../kernel/kept-labels.ts'
import type { Memory } from '../ports/memory-port.ts'
import { openForOwner, ownCall, type OwnResult } from '../kernel/own-call.ts'
import type { Approvals, Audit, Definitions, Log, Policy, Servers } from '../kernel/ports.ts'
import type { Principal } from '../kernel/principal.ts'
import type { CallResult } from '../kernel/tool-call.ts'
import type { ToolId } from '../kernel/tool-id.ts'
import { nonInteractive } from '../kernel/non-interactive.ts'
import {
  type CallQuestionContract,
  type CallQuestionDeps,
  callQuestionRoutes,
} from './call-questions.ts'
import { json, server, tool, workingFolder } from './fields.ts'
import type { Routes } from './route.ts'
import { idHere } from './id-here.ts'

/** A call that needs the owner's consent waits for it, is refused at once, or brings it along. */
export const ASKING = ['wait', 'never', 'given'] as const
export type Asking = (typeof ASKING)[number]

export interface CallContract extends CallQuestionContract {
  'mcp.call': {
    surface: 'any'
    input: {
      readonly server: string
      /** The folder it is called in: a trusted project may bring the server. */
      readonly workingFolder?: string
      readonly tool: string
      readonly args: Readonly<Record<string, Json>>
      /** Chosen by the caller, to follow the call with `approvals.follow`. */
      readonly callId?: string
      readonly approval?: Asking
      /** The caller answers the server's questions, by `mcp.question` and `mcp.answer`; needs a `callId`. */
      readonly canAnswer?: boolean
      /** The result is kept in memory, so that a later message can speak of it. */
      readonly isKept?: boolean
    }
    output: OwnResult
  }
}

type Call = CallContract['mcp.call']

export interface CallDeps extends CallQuestionDeps {
  readonly principal: Principal
  readonly definitions: Pick<Definitions, 'findInProject'>
  readonly servers: Pick<Servers, 'know' | 'call' | 'misfit' | 'admit'>
  readonly audit: Pick<Audit, 'begin'>
  readonly policy: Policy
  readonly approvals: Approvals
  readonly queue: Pick<ApprovalQueue, 'consented'>
  readonly told: ToldLabels
  readonly memory: Pick<Memory, 'addResult'>
  readonly log: Pick<Log, 'warn'>
}

/** Calls that have not ended, by id. The controller of a call aborts when the call ends. */
export type CallsUnderWay = Map<string, AbortController>

export function callRoutes(deps: CallDeps, underWay: CallsUnderWay): Routes<CallContract> {
  return {
    ...callQuestionRoutes(deps, underWay),
    'mcp.call': {
      surface: 'any',
      input: z.strictObject({
        server,
        workingFolder,
        tool,
        args: z.record(z.string(), json),
        callId: z.uuid().exactOptional(),
        approval: z.enum(ASKING).exactOptional(),
        canAnswer: z.boolean().exactOptional(),
        isKept: z.boolean().exactOptional(),
      }),
      isForTerminal: (input) => comesWithYes(input) || input.workingFolder !== undefined,
      handle: (input, signal) =>
        call(
          deps,
          underWay,
          { ...input, tell: (id) => deps.progress.changes.announce(id) },
          signal,
        ),
    },
  }
}

/** Consent that comes with the call was typed with the command, so only a terminal can send it. */
export function comesWithYes({ approval }: { readonly approval?: Asking }): boolean {
  return approval === 'given'
}

interface Calling extends Readonly<Call['input']> {
  /** Called when the server asks something during the call with this id. */
  readonly tell: (callId: string) => void
}

async function call(
  deps: CallDeps,
  underWay: CallsUnderWay,
  { tool: name, args, callId = randomUUID(), approval = 'never', ...calling }: Calling,
  signal: AbortSignal,
): Promise<Call['output']> {
  const { canAnswer = false, tell, isKept = false, ...named } = calling
  const tool = { server: await idHere(deps, named), name }
  if (underWay.has(callId)) throw sameCall()
  const ended = new AbortController()
  underWay.set(callId, ended)
  if (canAnswer) deps.progress.begin(callId)
  try {
    const approvals = approvalsFor(deps, approval)
    const request = ownCall(deps.principal, tool, args, callId)
    const work = () => callTool({ ...deps, approvals }, request, signal)
    const place = { run: callId, callId, node: name, server: tool.server }
    const caller = { ...place, isUnattended: !canAnswer, tell: () => tell(callId) }
    const result = await deps.input.during(caller, work)
    if (isKept) await keepResult(deps, tool, result)
    return openForOwner(result)
  } finally {
    underWay.delete(callId)
    deps.progress.end(callId)
    ended.abort()
  }
}

/** A result that cannot be kept is shown all the same. */
async function keepResult(
  { memory, log }: CallDeps,
  tool: ToolId,
  result: CallResult,
): Promise<void> {
  if (result.kind !== 'ok') return
  try {
    await memory.addResult(tool, result.value)
  } catch (error) {
    log.warn('A result was not kept', { error })
  }
}

function approvalsFor({ principal, approvals, queue }: CallDeps, asking: Asking): Approvals {
  if (asking === 'wait') return approvals
  return asking === 'given' ? queue.consented(principal.id) : nonInteractive(approvals)
}

function sameCall(): CordonError {
  return new CordonError(
    'kernel.same-call',
    { exit: 2, hint: 'Give each call an id of its own, or none' },
    'Cannot call a tool: a call with this id is under way',
  )
}
