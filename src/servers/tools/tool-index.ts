/**
 * The index of one owner's tools: lists them, shows one in detail, searches by words. Calls no tool, starts no server.
 */
import { FEATURE_NAMES } from '../../text/feature-names.ts'
import { cutText } from '../../text/untrusted-text.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import type { ToolIndex, ToolCard, ToolListing, ToolView } from '../../ports/tool-view.ts'
import { judgeEffect } from '../life/judge-effect.ts'
import type { ManifestTool } from '../life/manifest.ts'
import type { FactsOf } from '../life/tool-facts.ts'
import { rolesOf } from './argument-roles.ts'
import { lookOf } from '../../text/look-alike.ts'
import { foreseeLabels, labelOf } from './output-labels.ts'
import { overrideOf } from './override-of.ts'
import { flagsOf, flagsOfText, type Neighbours } from './poison-flags.ts'
import { cardOf } from './tool-card.ts'
import { createSearchIndex, type IndexedTool, type SearchIndex } from './search-index.ts'

const MAX_WORDS = 4000

export interface IndexedServer {
  readonly definition: ServerDefinition
  readonly tools: {
    all(): Promise<readonly ManifestTool[]>
    /** The server's usage instructions from the handshake; untrusted. */
    instructions(): Promise<string | undefined>
  }
}

export interface NodesDeps {
  readonly factsOf: FactsOf
  servers(): readonly IndexedServer[]
}

interface Entry {
  readonly definition: ServerDefinition
  readonly tool: ManifestTool
}

export function createToolIndex(deps: NodesDeps): ToolIndex {
  const { factsOf } = deps
  const cardFor = whileSame((entry) => makeCard(factsOf, entry))
  const labelsFor = whileSame(answerLabels)
  const find = createFinder((entry) => isCallable(factsOf, entry))
  return {
    async list(server) {
      const entries = await readEntries(deps.servers())
      const wanted = entries.filter(({ definition }) => !server || definition.id === server)
      return wanted.map((entry) => listingOf(factsOf, cardFor, entry))
    },
    async view({ server, name }) {
      const entries = await readEntries(deps.servers())
      const entry = entries.find(
        ({ definition, tool }) => definition.id === server && tool.name === name,
      )
      return entry && viewOf({ factsOf, cardFor }, entry, neighboursOf(entries, server))
    },
    async answers(server) {
      const own = await readEntries(
        deps.servers().filter(({ definition }) => definition.id === server),
      )
      const labels = new Map(own.map((entry) => [entry.tool.name, labelsFor(entry)]))
      const definition = deps.servers().find((one) => one.definition.id === server)?.definition
      for (const name of definition ? FEATURE_NAMES : []) {
        if (definition) labels.set(name, featureLabels(definition, name))
      }
      return labels
    },
    async oddities(server) {
      const found = deps.servers().find(({ definition }) => definition.id === server)
      const words = await found?.tools.instructions()
      if (words === undefined) return []
      const entries = await readEntries(deps.servers())
      return flagsOfText(words, 'instructions', neighboursOf(entries, server))
    },
    async descriptions(server) {
      const entries = await readEntries(deps.servers())
      const around = neighboursOf(entries, server)
      const own = entries.filter(({ definition }) => definition.id === server)
      const plain = own.filter(({ tool }) => flagsOf(tool.raw, around).length === 0)
      return new Map(plain.map(({ tool }) => [tool.name, tool.description ?? '']))
    },
    async search(words, limit, accepts = () => true) {
      const query = { words, limit, accepts }
      const found = find(await readEntries(deps.servers()), query)
      return found.map((entry) => cardFor(entry))
    },
  }
}

/** Named fields apply only if the answer is parsed as structured data, not as text. */
function answerLabels({ definition, tool }: Entry): LabelTree {
  const own = overrideOf(definition, tool.name)
  const isRead = tool.outputSchema !== undefined || own?.answers === 'json'
  const { fields: named = [], directory = [] } = (isRead && own) || {}
  const fields = isRead ? [...named, ...tool.learned] : named
  const from = { kind: 'tool', server: definition.id, tool: tool.name, callId: '' } as const
  return foreseeLabels({ label: labelOf(definition), fields, directory, from })
}

function featureLabels(definition: ServerDefinition, name: string): LabelTree {
  const from = { kind: 'tool', server: definition.id, tool: name, callId: '' } as const
  return foreseeLabels({ label: labelOf(definition), fields: [], from })
}

async function readEntries(servers: readonly IndexedServer[]): Promise<readonly Entry[]> {
  const lists = servers.map(async ({ definition, tools }) => {
    return (await tools.all()).map((tool) => ({ definition, tool }))
  })
  return (await Promise.all(lists)).flat()
}

function idOf({ definition, tool }: Entry): ToolId {
  return { server: definition.id, name: tool.name }
}

function isCallable(factsOf: FactsOf, { definition, tool }: Entry): boolean {
  return definition.enabled && factsOf({ definition }, tool).blocked === undefined
}

type CardFor = (entry: Entry) => ToolCard

/** The same object while definition and tool are: readers of the list see at once what changed. */
function whileSame<T>(make: (entry: Entry) => T): (entry: Entry) => T {
  const known = new WeakMap<ManifestTool, { readonly of: ServerDefinition; readonly made: T }>()
  return (entry) => {
    const { definition, tool } = entry
    const found = known.get(tool)
    if (found?.of === definition) return found.made
    const made = make(entry)
    known.set(tool, { of: definition, made })
    return made
  }
}

function makeCard(factsOf: FactsOf, { definition, tool }: Entry): ToolCard {
  const { id, effect, claims, isVouchedFor } = factsOf({ definition }, tool)
  const own = overrideOf(definition, tool.name)
  return cardOf({
    id,
    tool,
    effect,
    claims,
    roles: rolesOf(tool.inputSchema, own),
    // The catalog's trust applies only to the accepted (pinned) definition.
    isVouchedFor: isVouchedFor && !tool.quarantined,
    description: own?.description,
  })
}

function listingOf(factsOf: FactsOf, cardFor: CardFor, entry: Entry): ToolListing {
  const { blocked = entry.definition.enabled ? undefined : 'disabled' } = factsOf(entry, entry.tool)
  return { card: cardFor(entry), ...(blocked && { blocked }) }
}

function viewOf(
  { factsOf, cardFor }: { readonly factsOf: FactsOf; readonly cardFor: CardFor },
  entry: Entry,
  neighbours: Neighbours,
): ToolView {
  const { definition, tool } = entry
  const { isVouchedFor, serverName } = factsOf(entry, tool)
  const own = overrideOf(definition, tool.name)
  const roles = [...rolesOf(tool.inputSchema, own)]
  return {
    ...listingOf(factsOf, cardFor, entry),
    serverName,
    because: judgeEffect(definition, tool).because,
    ...(tool.lookAlike !== undefined && { lookAlike: tool.lookAlike }),
    roles: roles.map(([name, { role, source }]) => ({ name, role, source })),
    fields: [...(own?.fields ?? []), ...(own?.directory ?? [])],
    learned: tool.learned,
    isVouchedFor,
    ...(tool.description !== undefined && { described: cutText(tool.description, MAX_WORDS) }),
    flags: flagsOf(tool.raw, neighbours),
    hash: tool.hash,
  }
}

function neighboursOf(entries: readonly Entry[], server: string): Neighbours {
  const tools = new Set<string>()
  const alike = new Map<string, Set<string>>()
  const siblings = new Set<string>()
  const servers = new Set<string>()
  for (const { definition, tool } of entries) {
    if (definition.id === server) siblings.add(tool.name)
    else {
      const look = lookOf(tool.name)
      tools.add(tool.name)
      alike.set(look, (alike.get(look) ?? new Set()).add(definition.id))
      servers.add(definition.id)
    }
  }
  return { tools, alike, siblings, servers }
}

interface Query {
  readonly words: string
  readonly limit: number
  readonly accepts: (tool: ToolId) => boolean
}

type Find = (entries: readonly Entry[], query: Query) => readonly Entry[]

/** Rebuilds the index only when a tool or a definition has changed. */
function createFinder(isWanted: (entry: Entry) => boolean): Find {
  let indexed: readonly Entry[] = []
  let kept: readonly Entry[] = []
  let index: SearchIndex = createSearchIndex([])
  return (entries, { words, limit, accepts }) => {
    if (!isSame(indexed, entries)) {
      indexed = entries
      kept = entries.filter(isWanted)
      index = createSearchIndex(kept.map(wordsOf))
    }
    const isAccepted = (at: number): boolean => {
      const entry = kept[at]
      return entry !== undefined && accepts(idOf(entry))
    }
    return index.search(words, limit, isAccepted).flatMap((at) => kept[at] ?? [])
  }
}

function isSame(a: readonly Entry[], b: readonly Entry[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ definition, tool }, at) => {
      return definition === b[at]?.definition && tool === b[at]?.tool
    })
  )
}

const NOBODY: Neighbours = {
  tools: new Set(),
  alike: new Map(),
  siblings: new Set(),
  servers: new Set(),
}

/**
 * A stranger's description helps to rank its tool, less than its name does, and no card shows it. An odd one counts for
 * nothing: words that are written for a model must not bring their tool before it.
 */
function wordsOf({ definition, tool }: Entry): IndexedTool {
  const { id, isKnown } = definition
  const own = overrideOf(definition, tool.name)?.description ?? ''
  const words = { server: `${id} ${definition.name}`, name: tool.name }
  const { description = '' } = tool
  return isKnown
    ? { ...words, text: `${own} ${description}` }
    : { ...words, text: own, claimed: isPlain(description) ? description : '' }
}

function isPlain(description: string): boolean {
  return flagsOfText(description, 'description', NOBODY).length === 0
}
