/**
 * A suite over one server or over several that do not trust each other. `echo` adds a server that gives back what it
 * was told, and sends every value that a flow passes on through it first.
 */
import { type FlowIr, type FlowNode, parseIr } from '../../src/flows/language/ir.ts'
import { wholeReference } from '../../src/flows/language/references.ts'
import type { Json, JsonObject } from '../../src/text/json.ts'
import type { Suite, SuiteTool } from './suite.ts'

export const VARIANTS = ['one server', 'by app', 'reads apart', 'by app, echo'] as const
export type Variant = (typeof VARIANTS)[number]

export const ECHO = 'echo'
export const ECHO_TOOL = 'say_again'

/** The app of a tool, by words in its name; the first that fits. */
const APPS: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  banking: [[/file/, 'files']],
  workspace: [
    [/email|contacts/, 'mail'],
    [/calendar|day/, 'calendar'],
    [/file/, 'drive'],
  ],
  slack: [[/webpage/, 'web']],
  travel: [
    [/calendar/, 'calendar'],
    [/email/, 'mail'],
  ],
}

export function suiteAs(suite: Suite, variant: Variant): Suite {
  if (variant === 'one server') return suite
  const tools = suite.tools.map((tool) => ({ ...tool, server: serverFor(suite, variant, tool) }))
  if (variant !== 'by app, echo') return { ...suite, tools }
  return {
    ...suite,
    tools: [...tools, SAY_AGAIN],
    servers: { ...suite.servers, [ECHO]: { egress: 'none' } },
  }
}

const SAY_AGAIN: SuiteTool = {
  name: ECHO_TOOL,
  inputSchema: { type: 'object', properties: { text: {} }, required: ['text'] },
  effect: 'read',
  server: ECHO,
}

function serverFor({ suite }: Suite, variant: Variant, { name, effect }: SuiteTool): string {
  if (variant === 'reads apart') return `${suite}-${isReadOnly(effect) ? 'in' : 'out'}`
  const app = (APPS[suite] ?? []).find(([words]) => words.test(name))
  return `${suite}-${app?.[1] ?? 'main'}`
}

function isReadOnly(effect: string): boolean {
  return effect === 'read'
}

/** The same flow over the servers of the variant. */
export function flowAs(suite: Suite, ir: FlowIr, variant: Variant): FlowIr {
  if (variant === 'one server') return ir
  const servers = new Map(suite.tools.map(({ name, server }) => [name, server ?? suite.suite]))
  const prefix = `mcp-${suite.suite}-`
  const nodes = ir.nodes.map((node): FlowNode => {
    if (!node.type.startsWith(prefix)) return node
    const tool = node.type.slice(prefix.length)
    return { ...node, type: `mcp-${servers.get(tool)}-${tool}` }
  })
  // Without edges a flow goes from node to node, so that a node can be put in between.
  const { edges: _inOrder, ...rest } = ir
  return parseIr({ ...rest, nodes: variant === 'by app, echo' ? nodes.flatMap(laundered) : nodes })
}

/** Puts a call of the echo before a call, for each value that an earlier step gave it. */
function laundered(node: FlowNode): readonly FlowNode[] {
  if (!node.type.startsWith('mcp-')) return [node]
  const before: FlowNode[] = []
  const through = (value: Json): Json => {
    if (typeof value === 'string') return isOwnItem(node, value) ? value : echoed(value)
    if (Array.isArray(value)) return value.map((one: Json) => through(one))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, through(one)]))
  }
  const echoed = (value: string): string => {
    if (!wholeReference(value)) return value
    const id = `${node.id}-echo-${before.length}`
    before.push({ ...node, id, type: `mcp-${ECHO}-${ECHO_TOOL}`, params: { text: value } })
    return `\${${id}.result.text}`
  }
  const params = through(node.params) as JsonObject
  const plain = before.map(({ when: _when, forEach: _each, ...rest }) => rest)
  return [...plain, { ...node, params }]
}

/** Items of a loop exist only inside its node. */
function isOwnItem({ forEach }: FlowNode, value: string): boolean {
  return forEach !== undefined && wholeReference(value)?.[0] === forEach.as
}
