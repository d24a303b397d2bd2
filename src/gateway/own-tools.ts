/**
 * The whole list of a client: tools of servers, or the search in their place, and the gateway's own tools beside them.
 * A client with a limit on results is shown no output schemas: its results may come as handles, which fit none.
 */
import type { JsonObject } from '../text/json.ts'
import type { ClientSession } from './client-session.ts'
import type { ClientViews } from './client-views.ts'
import type { Offered } from './offered-tools.ts'
import type { OwnTool } from './own-tool.ts'
import { readResult } from './read-result.ts'
import { createSearchTools, type SearchDeps } from './search-tools.ts'

export interface OwnToolsDeps extends SearchDeps {
  readonly views: ClientViews
}

export interface OwnTools {
  /** The definitions that stand in the place of all tools when a client searches. */
  readonly searchList: readonly JsonObject[]
  /** The definitions for `tools/list`. The same array as long as nothing has changed. */
  listed(session: ClientSession): Promise<readonly JsonObject[]>
  /** Undefined for a name that is none of the gateway's own. */
  find(session: ClientSession, name: string): Promise<OwnTool | undefined>
}

export function createOwnTools(deps: OwnToolsDeps): OwnTools {
  const { views } = deps
  const search = createSearchTools(deps)
  const byName = new Map([...search, readResult].map((tool) => [tool.definition.name, tool]))
  const lists = createLists()
  const searchList = [...search, readResult].map(({ definition }) => definition)
  return {
    searchList,
    async listed(session) {
      const isLimited = views.limitsOf(session).resultTokens !== undefined
      const beside = isLimited ? [readResult] : []
      const own = beside.map(({ definition }) => definition)
      const isSearching = await views.isSearching(session, own)
      const offered = await views.offered(session)
      return lists(offered, `${isSearching} ${isLimited}`, () =>
        isSearching ? searchList : [...definitionsOf(offered, isLimited), ...own],
      )
    },
    find: async (_session, name) => byName.get(name),
  }
}

function definitionsOf(offered: Offered, isLimited: boolean): readonly JsonObject[] {
  const all = [...offered.values()].map(({ definition }) => definition)
  if (!isLimited) return all
  return all.map(({ outputSchema: _may, ...definition }) => definition)
}

type Lists = (
  offered: Offered,
  key: string,
  make: () => readonly JsonObject[],
) => readonly JsonObject[]

function createLists(): Lists {
  const known = new WeakMap<Offered, Map<string, readonly JsonObject[]>>()
  return (offered, key, make) => {
    const own = known.get(offered) ?? new Map<string, readonly JsonObject[]>()
    known.set(offered, own)
    const list = own.get(key) ?? make()
    own.set(key, list)
    return list
  }
}
