/**
 * Which argument of which call every output of a model ends up in, read from the references of a flow alone: what an
 * adversary has to know to say the most harmful thing, and what a comparison needs to tell a loop from a guard.
 */
import type { FlowIr, FlowNode } from '../../src/flows/language/ir.ts'
import { findReferences, type Path } from '../../src/flows/language/references.ts'
import type { Json } from '../../src/text/json.ts'

export interface Use {
  readonly node: string
  readonly tool: string
  /** How many calls of this tool come before, as far as the flow tells. */
  readonly nth: number
  readonly kind: 'argument' | 'guard' | 'loop'
  readonly argument: string
  /** The place inside the argument. */
  readonly inside: readonly string[]
}

export interface FlowUses {
  /** Uses of `node.field`; of every field of an item with `node.field[].member`. */
  of(place: string): readonly Use[]
  /** Steps whose answers can reach this argument, whatever lies between. */
  sourcesOf(node: string, argument: string): ReadonlySet<string>
}

export function toolIn(type: string, tools: ReadonlySet<string>): string | undefined {
  if (!type.startsWith('mcp-')) return undefined
  return [...tools].find((tool) => type.endsWith(`-${tool}`))
}

type Nodes = ReadonlyMap<string, FlowNode>

export function usesIn(ir: FlowIr, tools: ReadonlySet<string>): FlowUses {
  const found = new Map<string, Use[]>()
  const seen = new Map<string, number>()
  const byId: Nodes = new Map(ir.nodes.map((node) => [node.id, node]))
  for (const node of ir.nodes) {
    const tool = toolIn(node.type, tools)
    if (tool === undefined) continue
    const nth = seen.get(tool) ?? 0
    seen.set(tool, nth + 1)
    for (const { path, use } of usesOf(node, tool, nth)) {
      for (const place of placesFor(byId, path, node)) {
        found.set(place, [...(found.get(place) ?? []), use])
      }
    }
  }
  return {
    of: (place) => found.get(place) ?? [],
    sourcesOf: (node, argument) => sourcesOf(byId, node, argument),
  }
}

interface FoundUse {
  readonly path: Path
  readonly use: Use
}

/** Every reference of one node, with the use that it makes of the value. */
function usesOf(node: FlowNode, tool: string, nth: number): readonly FoundUse[] {
  const plain = { node: node.id, tool, nth, argument: '', inside: [] }
  const args = Object.entries(node.params).flatMap(([argument, value]) =>
    findReferences(value, '').flatMap(({ path, place }): readonly FoundUse[] => {
      const inside = place.match(/[^.[\]]+/g) ?? []
      return path ? [{ path, use: { ...plain, kind: 'argument', argument, inside } }] : []
    }),
  )
  const guards = pathsIn(node.when?.left ?? null).map((path): FoundUse => {
    return { path, use: { ...plain, kind: 'guard' } }
  })
  const loops = pathsIn(node.forEach?.items ?? null).map((path): FoundUse => {
    return { path, use: { ...plain, kind: 'loop' } }
  })
  return [...args, ...guards, ...loops]
}

/** The outputs that a reference stands for: an item of a loop is one of its list, a choice is what was chosen by. */
function placesFor(byId: Nodes, [root, field]: Path, { forEach }: FlowNode): readonly string[] {
  if (root === forEach?.as) {
    return pathsIn(forEach.items).map((items) => `${placeOf(items)}[].${String(field ?? '')}`)
  }
  const between = byId.get(root)
  const passed = between && isPassedOn(between) ? pathsIn(between.params) : []
  const through = passed.flatMap((path) => placesFor(byId, path, between as FlowNode))
  return [placeOf([root, ...(field === undefined ? [] : [field])]), ...through]
}

function placeOf([root, field]: Path): string {
  return `${root}.${String(field ?? '')}`
}

/** A choice or an echo passes a value on as it is; what a model makes of a value is the model's. */
function isPassedOn({ type }: FlowNode): boolean {
  return type === 'select' || type === 'first' || type === 'argmax' || type.startsWith('mcp-echo-')
}

function pathsIn(value: Json): readonly Path[] {
  return findReferences(value, '').flatMap(({ path }) => (path ? [path] : []))
}

function sourcesOf(byId: Nodes, node: string, argument: string): ReadonlySet<string> {
  const sources = new Set<string>()
  const start = byId.get(node)
  const open: string[] = pathsIn(start?.params[argument] ?? null).map(([root]) => root)
  if (start?.forEach) open.push(...pathsIn(start.forEach.items).map(([root]) => root))
  while (open.length > 0) {
    const id = open.pop() as string
    const found = byId.get(id)
    if (!found || sources.has(id)) continue
    sources.add(id)
    open.push(...pathsIn(found.params).map(([root]) => root))
    if (found.forEach) open.push(...pathsIn(found.forEach.items).map(([root]) => root))
  }
  return sources
}
