/**
 * Finds a node by every spelling of its name: `mcp-github-search-code`, `mcp-github-search_code`,
 * `mcp_github.search_code`, `mcp github search-code`, `github.search_code`, `search-code`, `mcp-github-search`. Names
 * are compared word by word, never split into server and tool. An ambiguous name finds no node.
 */
import type { LabelTree } from '../../labels/label-tree.ts'
import type { ToolFacts } from '../../kernel/tool-facts.ts'
import { closestNames } from '../../text/closest-names.ts'
import type { NodeDescriptor } from './node-descriptor.ts'
import { withoutServer, withUniqueIds, type Words, wordsOf, slugOf } from './node-id.ts'

export interface KnownNode {
  readonly descriptor: NodeDescriptor
  /** The facts that the host knows about the tool behind the node. */
  readonly facts?: ToolFacts
  /** The labels that answers of the tool will have. */
  readonly answers?: LabelTree
}

export type NodeFinding =
  | { readonly kind: 'found'; readonly node: KnownNode }
  | { readonly kind: 'ambiguous'; readonly names: readonly string[] }
  | { readonly kind: 'unknown'; readonly suggestions: readonly string[] }

export interface NodeIndex {
  readonly nodes: readonly KnownNode[]
  find(name: string): NodeFinding
  /** The tool with exactly this server and name, without guessing. */
  tool(server: string, name: string): KnownNode | undefined
}

const MAX_NAME = 200

interface Entry {
  readonly node: KnownNode
  /** Full spellings, each as a list of words. */
  readonly full: readonly Words[]
  /** Shorter spellings, which several nodes may share. */
  readonly short: readonly Words[]
}

export function createNodeIndex(known: readonly KnownNode[]): NodeIndex {
  const nodes = withUniqueIds(known)
  const entries = nodes.map(entryFor)
  const full = indexed(entries, (entry) => entry.full)
  const short = indexed(entries, (entry) => entry.short)
  const tools = new Map(nodes.map((node) => [toolKey(node.descriptor), node]))
  const find = (name: string): NodeFinding => {
    const words = wordsOf(name)
    const folded = words.join('-')
    const steps = [
      () => full.get(folded) ?? [],
      () => short.get(folded) ?? [],
      () => entries.filter((entry) => entry.full.some((one) => begins(words, one))),
      () => entries.filter((entry) => entry.short.some((one) => begins(words, one))),
    ]
    for (const step of steps) {
      const found = step()
      if (found.length > 0) return decided(found)
    }
    return { kind: 'unknown', suggestions: suggestionsFor(folded, entries) }
  }
  return {
    nodes,
    find: (name) => (name.length > MAX_NAME ? { kind: 'unknown', suggestions: [] } : find(name)),
    tool: (server, name) => tools.get(JSON.stringify([server, name])),
  }
}

function decided(found: readonly Entry[]): NodeFinding {
  const [first, ...others] = found
  if (first && others.length === 0) return { kind: 'found', node: first.node }
  return { kind: 'ambiguous', names: found.map(({ node }) => node.descriptor.id).sort() }
}

function entryFor(node: KnownNode): Entry {
  const { id, aliases, pin } = node.descriptor
  if (!pin) return { node, full: [id, ...aliases].map(wordsOf), short: [] }
  const server = wordsOf(slugOf(pin.tool.server))
  const tool = wordsOf(pin.tool.name)
  const rest = withoutServer(tool, server)
  const tails = [tool, ...(rest ? [rest] : [])]
  return {
    node,
    full: [...tails.map((tail) => ['mcp', ...server, ...tail]), ...aliases.map(wordsOf)],
    short: [...tails.map((tail) => [...server, ...tail]), tool],
  }
}

function indexed(
  entries: readonly Entry[],
  names: (entry: Entry) => readonly Words[],
): ReadonlyMap<string, readonly Entry[]> {
  const index = new Map<string, Entry[]>()
  for (const entry of entries) {
    for (const name of new Set(names(entry).map((words) => words.join('-')))) {
      const list = index.get(name) ?? []
      list.push(entry)
      index.set(name, list)
    }
  }
  return index
}

/** Whether each typed word begins its counterpart: both `search-repos` and `search` begin `search-repositories`. */
function begins(typed: Words, words: Words): boolean {
  if (typed.length === 0 || typed.length > words.length) return false
  return typed.every((word, at) => words[at]?.startsWith(word))
}

function suggestionsFor(folded: string, entries: readonly Entry[]): readonly string[] {
  const ids = new Map(
    entries.map(({ node, full }) => [full[0]?.join('-') ?? '', node.descriptor.id]),
  )
  return closestNames(folded, [...ids.keys()]).map((name) => ids.get(name) ?? name)
}

function toolKey({ id, pin }: NodeDescriptor): string {
  return pin ? JSON.stringify([pin.tool.server, pin.tool.name]) : id
}
