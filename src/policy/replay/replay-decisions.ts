/**
 * Decides earlier calls again: from the grounds in the audit log, by the rules of today, with grants added or left out.
 * Calls nothing and changes nothing. Endorsements and amounts are not in the log, so a call that rested on one counts as
 * asked about.
 */
import type { AuditRecord } from '../../kernel/audit-record.ts'
import type { Grant } from '../../kernel/grant.ts'
import type { Audit } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { ReplayReport, ReplayRequest, TriedGrant } from '../../text/replay-report.ts'
import { showTool, type ToolId } from '../../kernel/tool-id.ts'
import { decide } from '../decide.ts'
import { readGrounds } from './grounds.ts'

export interface ReplayDeps {
  readonly owner: PrincipalId
  readonly audit: Pick<Audit, 'read' | 'damage'>
  readonly grants: () => Promise<readonly Grant[]>
  readonly now: () => number
}

const DAY_MS = 24 * 3_600_000
const PAGE = 1000
/** Far more calls than a person makes in a month; bounds the time of a replay. */
const MOST_RECORDS = 500_000
const MOST_DIFFERENCES = 100

type Kind = 'allow' | 'ask' | 'deny'

export async function replayDecisions(
  deps: ReplayDeps,
  request: ReplayRequest,
): Promise<ReplayReport> {
  const since = new Date(deps.now() - request.days * DAY_MS).toISOString()
  const held = await deps.grants()
  const tried = request.grants.map((one) => asGrant(deps.owner, one))
  const others = [...held.filter(({ id }) => !request.without.includes(id)), ...tried]
  const counts = { before: tally(), today: tally(), changed: tally() }
  const differences = new Map<string, number>()
  let decisions = 0
  let unjudged = 0
  for await (const record of recordsSince(deps.audit, since)) {
    if (record.kind !== 'call.begin') continue
    const call = callOf(record)
    if (!call) {
      unjudged += 1
      continue
    }
    decisions += 1
    const today = judge(call, held)
    const changed = judge(call, others)
    counts.before[call.verdict] += 1
    counts.today[today.kind] += 1
    counts.changed[changed.kind] += 1
    if (today.kind === changed.kind) continue
    const { kind: from } = today
    const { kind: to, rule } = changed
    const key = JSON.stringify({ tool: showTool(call.tool), from, to, rule })
    differences.set(key, (differences.get(key) ?? 0) + 1)
  }
  const damage = deps.audit.damage ?? null
  return { since, decisions, unjudged, damage, ...counts, differences: mostFrequent(differences) }
}

function mostFrequent(differences: ReadonlyMap<string, number>): readonly Difference[] {
  const sorted = [...differences].sort(([, a], [, b]) => b - a).slice(0, MOST_DIFFERENCES)
  return sorted.map(([key, times]) => ({
    ...(JSON.parse(key) as Omit<Difference, 'times'>),
    times,
  }))
}

type Difference = ReplayReport['differences'][number]

function tally(): Record<Kind, number> {
  return { allow: 0, ask: 0, deny: 0 }
}

interface EarlierCall {
  readonly tool: ToolId
  readonly verdict: Kind
  readonly question: NonNullable<ReturnType<typeof readGrounds>>
}

function callOf({ subject = '', details = {} }: AuditRecord): EarlierCall | undefined {
  const { grounds, effect, verdict } = details
  const dot = subject.indexOf('.')
  const isKnown = verdict === 'allow' || verdict === 'ask' || verdict === 'deny'
  if (!isKnown || typeof grounds !== 'string' || typeof effect !== 'string') return undefined
  if (dot < 1) return undefined
  const tool = toolOf(subject)
  const question = readGrounds(grounds, tool, effect)
  return question && { tool, verdict, question }
}

/** The name as it is in the log: built-in tools have servers that no definition can name. */
function toolOf(shown: string): ToolId {
  const dot = shown.indexOf('.')
  return { server: shown.slice(0, dot) as ServerId, name: shown.slice(dot + 1) }
}

function judge(
  { tool, question }: EarlierCall,
  grants: readonly Grant[],
): ReturnType<typeof decide> {
  const own = grants.filter(
    ({ server, tool: name }) => server === tool.server && name === tool.name,
  )
  return decide({ ...question, grants: own })
}

function asGrant(owner: PrincipalId, tried: TriedGrant): Grant {
  const { server, name } = toolOf(tried.tool)
  const kind =
    tried.kind === 'flow' ? { kind: tried.kind, origin: tried.origin } : { kind: tried.kind }
  return {
    ...kind,
    id: 'tried',
    owner,
    server,
    tool: name,
    hash: '',
    serverPin: '',
    createdAt: 0,
    expiresAt: 0,
    usesLeft: 1,
  }
}

/** In order, page by page, so that a long log is never in memory as a whole. */
async function* recordsSince(
  audit: Pick<Audit, 'read'>,
  since: string,
): AsyncGenerator<AuditRecord, void, undefined> {
  let after = await lastBefore(audit, since)
  for (let seen = 0; seen < MOST_RECORDS; ) {
    const page = await audit.read({ after, limit: PAGE })
    for (const record of page) if (record.at >= since) yield record
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.seq
    seen += page.length
  }
}

/** A number at or before that of the last record that is older than `since`, by binary search. */
async function lastBefore(audit: Pick<Audit, 'read'>, since: string): Promise<number> {
  const [newest] = await audit.read({ limit: 1 })
  let low = 0
  let high = newest?.seq ?? 0
  while (high - low > PAGE) {
    const middle = Math.floor((low + high) / 2)
    const [record] = await audit.read({ after: middle, limit: 1 })
    if (record && record.at < since) low = middle
    else high = middle
  }
  return low
}
