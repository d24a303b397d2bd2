/**
 * Writes definitions as other programs spell them: `mcpServers` (Claude, Cursor), `servers` (pflow's mcp.json), `mcps`
 * (PersonalAgent's config.json). Never holds a secret: a credential becomes the name of a variable. Whatever the other
 * form cannot say is left out and noted. Pure.
 */
import { CordonError } from '../../kernel/error.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import type { JsonObject } from '../../text/json.ts'
import { personalAgentEntry } from './personal-agent-entry.ts'
import { clientEntry, pflowEntry, type WrittenEntry } from './client-entry.ts'

export type ExportFormat = 'claude' | 'pflow' | 'personal-agent'

interface Exported {
  readonly document: JsonObject
  /** A line for each thing that the document lacks, with what to do about it. */
  readonly notes: readonly string[]
}

type Write = (definition: ServerDefinition) => WrittenEntry

const ENTRIES: Readonly<Record<ExportFormat, Write>> = {
  claude: clientEntry,
  pflow: pflowEntry,
  'personal-agent': personalAgentEntry,
}

/** Arguments and variables with the settings that they name; throws if one of those is missing. */
export type FillIn = (definition: ServerDefinition) => Pick<ServerDefinition, 'args' | 'env'>

export function exportServers(
  definitions: readonly ServerDefinition[],
  format: ExportFormat,
  fillIn: FillIn,
): Exported {
  const written = definitions.map((one) => {
    const definition = filledIn(one, fillIn)
    const entry = isOnlyHere(definition) ? ONLY_HERE : ENTRIES[format](definition)
    return { id: definition.id, entry, lost: lostIn(definition) }
  })
  const entries = written.flatMap(({ id, entry }) =>
    entry.kind === 'entry' ? [[id, entry.entry] as const] : [],
  )
  const notes = written.flatMap(({ id, entry, lost }) => {
    if (entry.kind === 'none') return [`${id}: left out: ${entry.why}`]
    const wanted = entry.variables.map((name) => `${id}: set ${name}; its value stays in the vault`)
    return [...wanted, ...lost.map((what) => `${id}: left out: ${what}`)]
  })
  return { document: documentOf(format, entries), notes }
}

const ONLY_HERE: WrittenEntry = {
  kind: 'none',
  why: 'it comes with Cordon, and npm does not have it',
}

/** Elsewhere anybody could publish a package under that name. */
function isOnlyHere({ args, package: from }: ServerDefinition): boolean {
  return args[0] === `cordon:${from?.identifier}` && args[0].startsWith('cordon:cordon-')
}

/** As it is written if it could not be started anyway: then there is nothing to fill in. */
function filledIn(definition: ServerDefinition, fillIn: FillIn): ServerDefinition {
  try {
    const { args, env } = fillIn(definition)
    return { ...definition, args, env }
  } catch (error) {
    if (error instanceof CordonError) return definition
    throw error
  }
}

/** The defaults of PersonalAgent stand for its own settings, which Cordon does not keep. */
function documentOf(
  format: ExportFormat,
  entries: readonly (readonly [string, JsonObject])[],
): JsonObject {
  if (format === 'claude') return { mcpServers: Object.fromEntries(entries) }
  if (format === 'pflow') return { servers: Object.fromEntries(entries) }
  const mcps = entries.map(([, entry]) => entry)
  return { version: '1.0', profiles: [], mcps, global_hotkey: 'Cmd+Shift+Space' }
}

/** Limits that only Cordon enforces: elsewhere the server runs without them. */
function lostIn({ sandbox, allowedDomains, transport, tools }: ServerDefinition): string[] {
  const { readPaths, writePaths, mode } = sandbox
  const paths = readPaths.length + writePaths.length
  const isStarted = transport === 'stdio' && mode !== 'none'
  return [
    ...(isStarted ? ['its sandbox'] : []),
    ...(isStarted && allowedDomains.length > 0 ? ['its list of hosts'] : []),
    ...(paths > 0 ? ['the limit to its folders'] : []),
    ...(Object.keys(tools).length > 0 ? ['your word on its tools'] : []),
  ]
}
