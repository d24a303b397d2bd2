/**
 * Reads the JSON of MCP clients: `mcpServers` (Claude Desktop, Claude Code with its projects, Cursor, Windsurf),
 * `servers` (VS Code, pflow), and the same under `mcp` (VS Code settings) or `mcp_servers` (Codex, in TOML).
 */
import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../text/json.ts'
import { draftFromEntry } from './draft-from-entry.ts'
import { showText } from '../show-text.ts'
import { isObject, objectOf, type ServerDraft } from './server-draft.ts'

interface Container {
  readonly servers: JsonObject
  /** The project these servers belong to, for clients that configure servers per project. */
  readonly project?: string
}

const KEYS = ['mcpServers', 'servers', 'mcp_servers']

const ENTRY_KEYS = ['command', 'url', 'serverUrl', 'httpUrl']

/** Entries alone, without a key around them, as READMEs print them. */
export function readBareEntries(root: unknown): readonly ServerDraft[] | undefined {
  const entries = Object.values(objectOf(root)).map(objectOf)
  const isEach = entries.every((entry) => ENTRY_KEYS.some((key) => key in entry))
  return entries.length > 0 && isEach ? readMcpJson({ mcpServers: objectOf(root) }) : undefined
}

export function readMcpJson(root: unknown): readonly ServerDraft[] | undefined {
  const containers = containersOf(objectOf(root))
  if (containers.length === 0) return undefined
  const entries = containers.flatMap(({ servers, project }) =>
    Object.entries(servers).map(([name, entry]) => ({ name, entry: objectOf(entry), project })),
  )
  const distinct = [...Map.groupBy(entries, ({ name }) => name).values()].flatMap((same) =>
    same.filter(
      ({ entry }, index) =>
        index === same.findIndex((other) => isDeepStrictEqual(other.entry, entry)),
    ),
  )
  return distinct.map(({ name, entry, project }) => {
    const draft = draftFromEntry(name, entry)
    if (project === undefined) return draft
    const note = `was only for the project ${showText(project)}`
    return { ...draft, notes: [...draft.notes, note] }
  })
}

function containersOf(root: JsonObject): readonly Container[] {
  const own = [root, objectOf(root['mcp'])].flatMap(serversIn)
  const projects = Object.entries(objectOf(root['projects'])).flatMap(([project, value]) =>
    serversIn(objectOf(value)).map((container) => ({ ...container, project })),
  )
  return [...own, ...projects]
}

function serversIn(holder: JsonObject): readonly Container[] {
  return KEYS.map((key) => holder[key])
    .filter(isObject)
    .map((servers) => ({ servers }))
}
