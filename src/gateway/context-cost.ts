/** The price of listing tools to a client's model, server by server, and of the search that can stand in its place. */
import type { ContextCost, Contexts } from '../ports/context-port.ts'
import { type ClientViews, tokensOf } from './client-views.ts'
import { noSuchContext } from './open-contexts.ts'
import type { OwnTools } from './own-tools.ts'
import { createScope } from './create-scope.ts'

export interface CostDeps {
  readonly views: Pick<ClientViews, 'offered'>
  readonly contexts: Pick<Contexts, 'list' | 'membersOf'>
  readonly own: Pick<OwnTools, 'searchList'>
}

/** Of these contexts together; undefined: of all tools. */
export async function contextCost(
  { views, contexts, own }: CostDeps,
  names: readonly string[] | undefined,
): Promise<ContextCost> {
  const known = new Set((await contexts.list()).map(({ name }) => name))
  const unknown = names?.find((name) => !known.has(name))
  if (unknown !== undefined) throw noSuchContext(unknown)
  const scope = createScope(names && (await contexts.membersOf(names)))
  const offered = await views.offered({ scope })
  const byServer = Map.groupBy(offered.values(), ({ id }) => id.server)
  const servers = [...byServer].map(([server, tools]) => ({
    server,
    tools: tools.length,
    tokens: tokensOf(tools.map(({ definition }) => definition)),
  }))
  return {
    servers: servers.toSorted((a, b) => b.tokens - a.tokens),
    tools: offered.size,
    tokens: servers.reduce((sum, { tokens }) => sum + tokens, 0),
    searchTokens: tokensOf(own.searchList),
  }
}
