/** Routes about approvals and grants. Every caller of these routes acts as the API's principal. */
import { z } from 'zod'
import type { ApprovalQueue, ShownApproval } from '../kernel/approval-port.ts'
import { CordonError } from '../kernel/error.ts'
import { FILES, MEMORY, MODEL, PLAN } from '../kernel/built-in-tools.ts'
import { type Grant, GRANT_OFFERS, GRANT_USES, type GrantKind, isUnused } from '../kernel/grant.ts'
import type { Servers } from '../kernel/ports.ts'
import type { Principal } from '../kernel/principal.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { GrantOffer } from '../kernel/tool-call.ts'
import type { CallsUnderWay } from './calls.ts'
import { nothing, server } from './fields.ts'
import type { Listening, Nothing, Routes } from './route.ts'

/** `terminal`: a person at a terminal. `program`: a process that says itself that no person is at it. */
const CHANNELS = ['terminal', 'program', 'page', 'chat'] as const
type Channel = (typeof CHANNELS)[number]

export interface ShownGrant {
  readonly id: string
  readonly server: string
  readonly tool: string
  readonly grant: GrantKind
  readonly createdAt: string
  readonly expiresAt: string
  readonly usesLeft: number
  readonly uses: number
  readonly lastUsedAt: string | null
  /** Not used for 60 days, so it is offered for removal. */
  readonly isUnused: boolean
  /** The tool or its server changed since the grant was given, so the grant allows nothing. */
  readonly isVoid: boolean
}

export interface ApprovalContract extends QuestionContract, GrantContract {}

interface QuestionContract {
  /** `after`: waits up to 20 seconds for a `version` above it. */
  'approvals.list': {
    surface: 'any'
    input: { readonly all?: boolean; readonly after?: number }
    output: { readonly version: number; readonly approvals: readonly ShownApproval[] }
  }
  'approvals.show': {
    surface: 'any'
    input: { readonly id: string; readonly full: boolean }
    output: ShownApproval
  }
  /**
   * `allow` names calls of one server by the beginning of their digests. The other calls of that server are denied, and
   * those of other servers stay pending. An empty list denies every call, or every call of `server`. `quarantine` is a
   * denial that also blocks all tools of these servers until the owner accepts them again.
   */
  'approvals.answer': {
    surface: 'any'
    input: {
      readonly id: string
      readonly allow: readonly string[]
      readonly grant?: GrantOffer
      readonly server?: string
      readonly quarantine?: boolean
      /** Required: an answer says who gives it. What the listener knows better, it overrides. */
      readonly channel: Channel
    }
    output: {
      readonly approval: ShownApproval
      readonly grants: readonly ShownGrant[]
      readonly quarantined: readonly string[]
    }
  }
  /** Returns when there is a question about this call, when the call has ended, or after 25 seconds. */
  'approvals.follow': {
    surface: 'any'
    input: { readonly callId: string }
    output: { readonly approval: ShownApproval | null; readonly isUnderWay: boolean }
  }
}

interface GrantContract {
  'grants.list': {
    surface: 'any'
    input: Nothing
    output: { readonly grants: readonly ShownGrant[] }
  }
  'grants.revoke': { surface: 'any'; input: { readonly id: string }; output: Nothing }
}

type Answer = QuestionContract['approvals.answer']

export interface ApprovalDeps {
  readonly principal: Principal
  readonly servers: Pick<Servers, 'know' | 'quarantine'>
  readonly queue: ApprovalQueue
}

const FOLLOW_MS = 25_000
const LOOK_MS = 10_000

const shortId = z.string().min(1).max(64)
const answerInput = z
  .strictObject({
    id: shortId,
    allow: z.array(z.string().max(64)).max(1000),
    grant: z.enum(GRANT_OFFERS).exactOptional(),
    server: server.exactOptional(),
    quarantine: z.boolean().exactOptional(),
    channel: z.enum(CHANNELS),
  })
  .refine(({ allow, grant, quarantine }) => !quarantine || (allow.length === 0 && !grant), {
    error: 'an answer that quarantines allows nothing',
  })

export function approvalRoutes(
  deps: ApprovalDeps,
  underWay: CallsUnderWay,
): Routes<ApprovalContract> {
  return { ...questionRoutes(deps, underWay), ...grantRoutes(deps) }
}

function questionRoutes(deps: ApprovalDeps, underWay: CallsUnderWay): Routes<QuestionContract> {
  const { queue } = deps
  return {
    'approvals.list': {
      surface: 'any',
      input: z.strictObject({
        all: z.boolean().exactOptional(),
        after: z.number().int().min(0).exactOptional(),
      }),
      async handle({ all = false, after }, signal) {
        if (after !== undefined) await queue.changed(after, signal)
        const { version } = queue // before the list, so that no later change is missed
        return { version, approvals: await queue.list(all) }
      },
    },
    'approvals.show': {
      surface: 'any',
      input: z.strictObject({ id: shortId, full: z.boolean() }),
      handle: ({ id, full }) => queue.show(id, full),
    },
    'approvals.answer': {
      surface: 'any',
      input: answerInput,
      isForTerminal: ({ channel }) => channel !== 'page',
      handle: (input, _signal, from) => answer(deps, input, from),
    },
    'approvals.follow': {
      surface: 'any',
      input: z.strictObject({ callId: z.string().min(1).max(500) }),
      async handle({ callId }, signal) {
        const ended = underWay.get(callId)?.signal
        const signals = [signal, AbortSignal.timeout(FOLLOW_MS), ...(ended ? [ended] : [])]
        const approval = await queue.follow(callId, AbortSignal.any(signals))
        return { approval: approval ?? null, isUnderWay: underWay.has(callId) }
      },
    },
  }
}

function grantRoutes({ principal, queue, servers }: ApprovalDeps): Routes<GrantContract> {
  return {
    'grants.list': {
      surface: 'any',
      input: nothing,
      async handle(_input, signal) {
        const grants = await queue.grants()
        const isVoid = await Promise.all(grants.map((grant) => hasChanged(servers, grant, signal)))
        return { grants: grants.map((grant, at) => showGrant(grant, isVoid[at] ?? true)) }
      },
    },
    'grants.revoke': {
      surface: 'any',
      input: z.strictObject({ id: shortId }),
      async handle({ id }) {
        await queue.revokeGrant(id, principal.id)
        return {}
      },
    },
  }
}

/** Quarantine comes first, so it holds even if the answer fails. */
async function answer(
  { principal, queue, servers }: ApprovalDeps,
  { quarantine, channel, ...said }: Answer['input'],
  from: Listening | undefined,
): Promise<Answer['output']> {
  if (from === 'terminal' && channel === 'page') throw notThePage()
  const quarantined = quarantine ? await openServersOf(queue, said) : []
  for (const server of quarantined) await servers.quarantine(server)
  try {
    const { approval, grants } = await queue.answer({ ...said, by: principal.id }, channel)
    return { approval, grants: grants.map((given) => showGrant(given, false)), quarantined }
  } finally {
    for (const server of quarantined) await queue.withdraw(server, principal.id)
  }
}

/** A page is known by its listener, so no client of the socket can pass for one. */
function notThePage(): CordonError {
  return new CordonError(
    'kernel.not-the-page',
    { exit: 2, hint: 'Answer with channel "terminal" if a person does, else with "program"' },
    'Cannot take the answer: it says that it comes from the page, and does not',
  )
}

const NOT_SERVERS: ReadonlySet<string> = new Set([FILES, MODEL, MEMORY, PLAN])

/** The servers with a pending call. Built-in tools have no server that could be quarantined. */
async function openServersOf(
  queue: ApprovalQueue,
  { id, server: only }: Pick<Answer['input'], 'id' | 'server'>,
): Promise<readonly ServerId[]> {
  const { state, items } = await queue.show(id, false)
  const open = state === 'pending' ? items.filter(({ isAllowed }) => isAllowed === undefined) : []
  const named = new Set(open.map(({ tool }) => tool.server))
  return [...named].filter((server) => {
    return !NOT_SERVERS.has(server) && (only === undefined || server === only)
  })
}

/** A tool whose facts cannot be read counts as changed: its grant would not be honoured either. */
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
    uses: Math.max(0, GRANT_USES - usesLeft),
    lastUsedAt: grant.lastUsedAt === undefined ? null : new Date(grant.lastUsedAt).toISOString(),
    isUnused: isUnused(grant, Date.now()),
    isVoid,
  }
}

function kindOf(grant: Grant): GrantKind {
  if (grant.kind === 'flow') return { kind: 'flow', origin: grant.origin }
  if (grant.kind === 'spend') return { kind: 'spend', max: grant.max }
  return grant.ids ? { kind: 'tool', ids: true } : { kind: 'tool' }
}
