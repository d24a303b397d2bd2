/**
 * The tools as one client is offered them: those of its contexts, as many as its program takes. A client over its limits
 * gets a search instead of a list; what it may call stays the same. A change of contexts or settings holds from the next
 * request on.
 */
import type { ToolId } from '../kernel/tool-id.ts'
import type { ClientKind, ClientLimits } from '../ports/client-limits.ts'
import type { Clients } from '../ports/client-port.ts'
import type { Contexts } from '../ports/context-port.ts'
import { estimateTokens } from '../text/estimate-tokens.ts'
import type { JsonObject } from '../text/json.ts'
import { type ClientSession, templateOf } from './client-session.ts'
import type { Offer, Offered, OfferedTool } from './offered-tools.ts'
import { createScope, type Scope } from './create-scope.ts'
import { ResultPool } from './result-pool.ts'

export interface ViewDeps {
  readonly offer: Offer
  readonly clients: Pick<Clients, 'find'>
  readonly contexts: Pick<Contexts, 'membersOf'>
  readonly kinds: readonly ClientKind[]
}

export interface ClientViews {
  /** Reads the client's settings anew. False if it was removed since the session began. */
  refresh(session: ClientSession): Promise<boolean>
  limitsOf(session: ClientSession): ClientLimits
  /** All tools within the client's contexts. The same object as long as none has changed. */
  offered(session: Pick<ClientSession, 'scope'>): Promise<Offered>
  /** Undefined for a tool that is outside its contexts as well. */
  find(session: ClientSession, name: string): Promise<OfferedTool | undefined>
  /** Whether the client searches for tools instead of being listed them. */
  isSearching(session: ClientSession, own: readonly JsonObject[]): Promise<boolean>
}

export function createClientViews(deps: ViewDeps): ClientViews {
  const { offer, kinds } = deps
  const within = createFilter()
  const pool = new ResultPool()
  const limitsOf = (session: ClientSession): ClientLimits => limitsIn(kinds, session)
  const offered = async ({ scope }: Pick<ClientSession, 'scope'>): Promise<Offered> =>
    within(await offer.list(), scope)
  return {
    async refresh(session) {
      session.results.join(pool)
      return await refresh(deps, session)
    },
    limitsOf,
    offered,
    async find({ scope }, name) {
      const tool = await offer.find(name)
      return tool && scope.has(tool.id) ? tool : undefined
    },
    async isSearching(session, own) {
      const { search = 'auto' } = session.client
      if (search !== 'auto') return search === 'on'
      return isOver(limitsOf(session), await offered(session), own)
    },
  }
}

async function refresh({ clients, contexts }: ViewDeps, session: ClientSession): Promise<boolean> {
  const client = clients.find(session.client.name)
  if (client?.createdAt !== session.since) return false
  session.client = client
  const names = client.contexts ?? []
  const scope = createScope(names.length > 0 ? await contexts.membersOf(names) : undefined)
  if (scope.key !== session.scope.key) {
    session.scope = scope
    session.template = templateOf(client.name, scope)
  }
  return true
}

/** The owner's word first. A program that lies about its name gets the limits of another known one, and nothing else. */
function limitsIn(kinds: readonly ClientKind[], { client, says }: ClientSession): ClientLimits {
  const name = says?.toLowerCase()
  const kind = client.kind
    ? kinds.find(({ id }) => id === client.kind)
    : kinds.find(({ names }) => name !== undefined && names.includes(name))
  const limits = kind?.limits ?? NO_LIMITS
  const { listTokens: most } = client
  return most === undefined ? limits : { ...limits, listTokens: { most, source: 'the owner' } }
}

const NO_LIMITS: ClientLimits = {}

function isOver(
  { tools, listTokens }: ClientLimits,
  offered: Offered,
  own: readonly JsonObject[],
): boolean {
  if (tools && offered.size + own.length > tools.most) return true
  if (!listTokens) return false
  const all = [...offered.values()].map(({ definition }) => definition)
  return tokensOf([...all, ...own]) > listTokens.most
}

/** Of a list of definitions, as a program hands it to its model. */
export function tokensOf(definitions: readonly JsonObject[]): number {
  return definitions.reduce((sum, one) => sum + estimateTokens(JSON.stringify(one)), 0)
}

type Filter = (offered: Offered, scope: Scope) => Offered

/** Remembers the parts of the current list, one for each scope in use. */
function createFilter(): Filter {
  const known = new WeakMap<Offered, Map<string, Offered>>()
  return (offered, scope) => {
    const parts = known.get(offered) ?? new Map<string, Offered>([['*', offered]])
    known.set(offered, parts)
    const found = parts.get(scope.key)
    if (found) return found
    const has = ({ id }: { readonly id: ToolId }): boolean => scope.has(id)
    const part = new Map([...offered].filter(([, tool]) => has(tool)))
    parts.set(scope.key, part)
    return part
  }
}
