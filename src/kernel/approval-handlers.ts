/** The part of the API that is about calls, questions to the owner and standing permissions. Whoever asks here is the owner. */
import { randomUUID } from 'node:crypto'
import type { Input, Output, Route } from './api.ts'
import type { ApprovalContract, ShownGrant } from './approval-contract.ts'
import type { ApprovalDesk } from './approval-port.ts'
import { FILES, MODEL } from './built-in-tools.ts'
import { callTool } from './call-tool.ts'
import { CordonError } from './error.ts'
import type { Grant, GrantKind } from './grant.ts'
import { openForOwner, ownCall } from './own-call.ts'
import type { Approvals, Audit, Policy, Servers } from './ports.ts'
import { OWNER } from './principal.ts'
import { parseServerId, type ServerId } from './server-id.ts'
import { withoutAsking } from './without-asking.ts'

export interface ApprovalRooms {
  readonly servers: Pick<Servers, 'know' | 'call' | 'misfit' | 'quarantine'>
  readonly audit: Pick<Audit, 'begin'>
  readonly policy: Policy
  readonly approvals: Approvals
  readonly desk: ApprovalDesk
}

type ApprovalRoute = Extract<Route, keyof ApprovalContract>
type Handlers = {
  readonly [R in ApprovalRoute]: (input: Input<R>, signal: AbortSignal) => Promise<Output<R>>
}

const FOLLOW_MS = 25_000
const LOOK_MS = 10_000

export function approvalHandlers(rooms: ApprovalRooms): Handlers {
  const { desk, servers } = rooms
  const underWay = new Map<string, AbortController>()
  return {
    'mcp.call': async (input, signal) => await call(rooms, underWay, input, signal),
    'approvals.list': async ({ all = false }) => ({ approvals: await desk.list(all) }),
    'approvals.show': async ({ id, full }) => await desk.show(id, full),
    'approvals.answer': async (input) => await answer(rooms, input),
    'approvals.follow': async ({ callId }, signal) => {
      const ended = underWay.get(callId)?.signal
      const signals = [signal, AbortSignal.timeout(FOLLOW_MS), ...(ended ? [ended] : [])]
      const approval = await desk.follow(callId, AbortSignal.any(signals))
      return { approval: approval ?? null, isUnderWay: underWay.has(callId) }
    },
    'grants.list': async (_input, signal) => {
      const grants = await desk.grants()
      const isVoid = await Promise.all(grants.map((grant) => hasChanged(servers, grant, signal)))
      return { grants: grants.map((grant, at) => showGrant(grant, isVoid[at] ?? true)) }
    },
    'grants.revoke': async ({ id }) => {
      await desk.revokeGrant(id, OWNER.id)
      return {}
    },
  }
}

/** A server that is to be quarantined is so first, and whatever becomes of the answer. */
async function answer(
  { desk, servers }: ApprovalRooms,
  { quarantine, channel, ...said }: Input<'approvals.answer'>,
): Promise<Output<'approvals.answer'>> {
  const quarantined = quarantine ? await openServersOf(desk, said) : []
  for (const server of quarantined) await servers.quarantine(OWNER.id, server)
  try {
    const { approval, grants } = await desk.answer({ ...said, by: OWNER.id }, channel)
    return { approval, grants: grants.map((given) => showGrant(given, false)), quarantined }
  } finally {
    for (const server of quarantined) await desk.withdraw(server, OWNER.id)
  }
}

/** Those of whose calls one still waits for its answer; what no server runs cannot be quarantined. */
async function openServersOf(
  desk: ApprovalDesk,
  { id, server: only }: Pick<Input<'approvals.answer'>, 'id' | 'server'>,
): Promise<readonly ServerId[]> {
  const { state, items } = await desk.show(id, false)
  const open = state === 'pending' ? items.filter(({ isAllowed }) => isAllowed === undefined) : []
  const named = new Set(open.map(({ tool }) => tool.server))
  return [...named].filter((server) => {
    return server !== FILES && server !== MODEL && (only === undefined || server === only)
  })
}

async function call(
  rooms: ApprovalRooms,
  underWay: Map<string, AbortController>,
  { server, tool: name, args, callId = randomUUID(), approval = 'never' }: Input<'mcp.call'>,
  signal: AbortSignal,
): Promise<Output<'mcp.call'>> {
  const tool = { server: parseServerId(server), name }
  if (underWay.has(callId)) throw sameCall()
  const ended = new AbortController()
  underWay.set(callId, ended)
  try {
    const approvals = approvalsFor(rooms, approval)
    const request = ownCall(OWNER, tool, args, callId)
    return openForOwner(await callTool({ ...rooms, approvals }, request, signal))
  } finally {
    underWay.delete(callId)
    ended.abort()
  }
}

function approvalsFor(
  { approvals, desk }: ApprovalRooms,
  asking: NonNullable<Input<'mcp.call'>['approval']>,
): Approvals {
  if (asking === 'wait') return approvals
  return asking === 'given' ? desk.consented(OWNER.id) : withoutAsking(approvals)
}

/** Where it cannot be found out, it counts as changed: then it would not be honoured either. */
async function hasChanged(
  servers: Pick<Servers, 'know'>,
  { server, tool, hash, serverPin }: Grant,
  signal: AbortSignal,
): Promise<boolean> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])
  try {
    const facts = await servers.know({ server, name: tool }, limit)
    return facts.hash !== hash || facts.serverPin !== serverPin
  } catch {
    return true
  }
}

function showGrant(grant: Grant, isVoid: boolean): ShownGrant {
  const { id, server, tool, createdAt, expiresAt, usesLeft } = grant
  return {
    id,
    server,
    tool,
    grant: kindOf(grant),
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    usesLeft,
    isVoid,
  }
}

function kindOf(grant: Grant): GrantKind {
  if (grant.kind === 'flow') return { kind: 'flow', origin: grant.origin }
  return grant.kind === 'spend' ? { kind: 'spend', max: grant.max } : { kind: 'tool' }
}

function sameCall(): CordonError {
  return new CordonError(
    'kernel.same-call',
    { exit: 2, hint: 'Give each call an id of its own, or none' },
    'Cannot call a tool: a call with this id is under way',
  )
}
