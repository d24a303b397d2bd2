/** The route by which the owner calls a tool: through the one door, as a task of one step. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { ApprovalQueue } from '../kernel/approval-port.ts'
import { callTool } from '../kernel/call-tool.ts'
import { CordonError } from '../kernel/error.ts'
import type { Json } from '../text/json.ts'
import type { ToldLabels } from '../kernel/kept-labels.ts'
import { openForOwner, ownCall, type OwnResult } from '../kernel/own-call.ts'
import type { Approvals, Audit, Definitions, Policy, Servers } from '../kernel/ports.ts'
import type { Principal } from '../kernel/principal.ts'
import { nonInteractive } from '../kernel/non-interactive.ts'
import { json, server, tool, workingFolder } from './fields.ts'
import type { Routes } from './route.ts'
import { idHere } from './servers.ts'

/** A call that needs the owner's consent waits for it, is refused at once, or brings it along. */
export const ASKING = ['wait', 'never', 'given'] as const
export type Asking = (typeof ASKING)[number]

export interface CallContract {
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
    }
    output: OwnResult
  }
}

type Call = CallContract['mcp.call']

export interface CallDeps {
  readonly principal: Principal
  readonly definitions: Pick<Definitions, 'findInProject'>
  readonly servers: Pick<Servers, 'know' | 'call' | 'misfit' | 'admit'>
  readonly audit: Pick<Audit, 'begin'>
  readonly policy: Policy
  readonly approvals: Approvals
  readonly queue: Pick<ApprovalQueue, 'consented'>
  readonly told: ToldLabels
}

/** Calls that have not ended, by id. The controller of a call aborts when the call ends. */
export type CallsUnderWay = Map<string, AbortController>

export function callRoutes(deps: CallDeps, underWay: CallsUnderWay): Routes<CallContract> {
  return {
    'mcp.call': {
      surface: 'any',
      input: z.strictObject({
        server,
        workingFolder,
        tool,
        args: z.record(z.string(), json),
        callId: z.uuid().exactOptional(),
        approval: z.enum(ASKING).exactOptional(),
      }),
      isForTerminal: (input) => comesWithYes(input) || input.workingFolder !== undefined,
      handle: (input, signal) => call(deps, underWay, input, signal),
    },
  }
}

/** Consent that comes with the call was typed with the command, so only a terminal can send it. */
export function comesWithYes({ approval }: { readonly approval?: Asking }): boolean {
  return approval === 'given'
}

async function call(
  deps: CallDeps,
  underWay: CallsUnderWay,
  { tool: name, args, callId = randomUUID(), approval = 'never', ...named }: Call['input'],
  signal: AbortSignal,
): Promise<Call['output']> {
  const tool = { server: await idHere(deps, named), name }
  if (underWay.has(callId)) throw sameCall()
  const ended = new AbortController()
  underWay.set(callId, ended)
  try {
    const approvals = approvalsFor(deps, approval)
    const request = ownCall(deps.principal, tool, args, callId)
    return openForOwner(await callTool({ ...deps, approvals }, request, signal))
  } finally {
    underWay.delete(callId)
    ended.abort()
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
