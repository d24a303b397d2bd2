/**
 * The whole list of a client: tools of servers, or the search in their place, and the gateway's own tools beside them.
 * A client with a limit on results is shown no output schemas: its results may come as handles, which fit none.
 */
import type { JsonObject } from '../text/json.ts'
import type { ClientSession } from './client-session.ts'
import type { ClientViews } from './client-views.ts'
import { createFlowTools } from './flow-tools.ts'
import type { Offered } from './offered-tools.ts'
import type { OwnTool } from './own-tool.ts'
import { readResult } from './read-result.ts'
import { createSavedFlowTools, type SavedFlowDeps } from './saved-flow-tools.ts'
import { createSearchTools, type SearchDeps } from './search-tools.ts'

export interface OwnToolsDeps extends SearchDeps, SavedFlowDeps {
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
  const flows = createFlowTools(deps)
  const saved = createSavedFlowTools(deps)
  const byName = new Map(
    [...search, readResult, ...flows].map((tool) => [tool.definition.name, tool]),
  )
  const lists = createLists()
  const searchList = definitionsIn([...search, readResult, ...flows])
  return {
    searchList,
    async listed(session) {
      const isLimited = views.limitsOf(session).resultTokens !== undefined
      const savedTools = definitionsIn(await saved.list(session))
      const beside = [
        ...definitionsIn([...(isLimited ? [readResult] : []), ...flows]),
        ...savedTools,
      ]
      const isSearching = await views.isSearching(session, beside)
      const offered = await views.offered(session)
      const key = JSON.stringify([isSearching, isLimited, savedTools])
      return lists(offered, key, () =>
        isSearching
          ? [...searchList, ...savedTools]
          : [...definitionsOf(offered, isLimited), ...beside],
      )
    },
    async find(session, name) {
      const found = byName.get(name)
      if (found || !name.startsWith('flow-')) return found
      return (await saved.list(session)).find(({ definition }) => definition.name === name)
    },
  }
}

function definitionsIn(tools: readonly OwnTool[]): readonly JsonObject[] {
  return tools.map(({ definition }) => definition)
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
