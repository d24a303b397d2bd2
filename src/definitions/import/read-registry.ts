/**
 * Reads pflow's registry: entries with an `mcp_config` (one per tool), and server configurations with `server_id` and
 * `auth`. Entries of the same server are merged into one draft; the first entry wins.
 */
import type { Json, JsonObject } from '../../text/json.ts'
import { draftFromEntry } from './draft-from-entry.ts'
import { defined, isObject, objectOf, type ServerDraft, textOf } from './server-draft.ts'

/** Fields about one tool instead of the server; tools are listed and pinned anew after the import. */
const OF_ONE_TOOL = ['server_id', 'tool_name', 'manifest_hash', 'auth']

export function readRegistry(root: unknown): readonly ServerDraft[] | undefined {
  const configs = entriesIn(root)
    .map(configOf)
    .filter((config) => config['server_id'] !== undefined)
  if (configs.length === 0) return undefined
  const servers = Map.groupBy(configs, (config) => textOf(config['server_id']) ?? '')
  return [...servers].map(([name, parts]) => {
    const merge = (merged: JsonObject, part: JsonObject): JsonObject => ({ ...part, ...merged })
    return draftFromEntry(name, parts.map(entryOf).reduce(merge, {}))
  })
}

/** The root itself if it is an entry, otherwise the entries of the list or map. */
function entriesIn(root: unknown): readonly JsonObject[] {
  if (isObject(root) && ('mcp_config' in root || 'server_id' in root)) return [root]
  const values: readonly Json[] = Array.isArray(root) ? root : Object.values(objectOf(root))
  return values.filter(isObject)
}

function configOf(entry: JsonObject): JsonObject {
  return 'mcp_config' in entry ? objectOf(entry['mcp_config']) : entry
}

function entryOf(config: JsonObject): JsonObject {
  const { token_env, scopes } = objectOf(config['auth'])
  const kept = Object.entries(config).filter(([key]) => !OF_ONE_TOOL.includes(key))
  return { ...Object.fromEntries(kept), ...(defined({ token_env, scopes }) as JsonObject) }
}
