/**
 * Reads every node that exists now: the built-in ones, and the tools of all servers as last seen. In a folder, also those
 * of its trusted project, of which a server that never ran is started to list its tools; no other server is.
 */
import { type LabelTree, raiseTree } from '../../labels/label-tree.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { ToolDescription } from '../../kernel/server-state.ts'
import type { ToolFacts } from '../../kernel/tool-facts.ts'
import { BUILT_IN_NODES } from './built-in-nodes.ts'
import { descriptorFor } from './describe-tool.ts'
import type { NodeDescriptor } from './node-descriptor.ts'
import { slugOf } from './node-id.ts'
import { toolOf } from '../runs/run-plan.ts'
import type { FlowDeps } from '../flow-deps.ts'
import { createNodeIndex, type KnownNode, type NodeIndex } from './node-index.ts'

type NodesDeps = Pick<FlowDeps, 'door' | 'toolIndex' | 'tools' | 'builtIns' | 'projectServers'>

interface NodesWanted {
  /** A server's hint that a tool only reads is trusted, if the facts of the host agree. */
  readonly isTrustedPure?: boolean
  /** The folder that the flow is typed or run in. */
  readonly folder?: string | undefined
}

export async function readNodes(
  deps: NodesDeps,
  { isTrustedPure = false, folder }: NodesWanted,
  signal: AbortSignal,
): Promise<NodeIndex> {
  const listed = await deps.toolIndex.list()
  const guests = folder === undefined ? [] : ((await deps.projectServers?.(folder)) ?? [])
  await Promise.all(guests.map((server) => listTools(deps, server, signal)))
  const replaced = new Set(guests.map(slugOf))
  const own = listed.map(({ card }) => card.id.server).filter((server) => !replaced.has(server))
  const servers = new Set([...own, ...guests])
  const read = (server: ServerId): Promise<readonly KnownNode[]> =>
    readServer(deps, server, isTrustedPure, signal)
  const tools = await Promise.all([...servers].map(read))
  return indexOf(deps, [...builtIns(deps), ...tools.flat()])
}

/** The last index of a house: a turn of a chat asks for it several times, and seldom has anything changed in between. */
const indexes = new WeakMap<NodesDeps['builtIns'], LastIndex>()

interface LastIndex {
  readonly of: readonly KnownNode[]
  readonly index: NodeIndex
}

function indexOf({ builtIns }: NodesDeps, nodes: readonly KnownNode[]): NodeIndex {
  const last = indexes.get(builtIns)
  const isSame = last?.of.length === nodes.length && last.of.every((node, at) => node === nodes[at])
  if (last && isSame) return last.index
  const index = createNodeIndex(nodes)
  indexes.set(builtIns, { of: nodes, index })
  return index
}

/** A server that never ran is started, as the owner agreed when they trusted the project; why it cannot be is told later. */
async function listTools(
  { tools, door }: NodesDeps,
  server: ServerId,
  signal: AbortSignal,
): Promise<void> {
  if ((await tools(server)).length === 0) await door.servers.know({ server, name: '' }, signal)
}

async function readServer(
  { door, tools, toolIndex }: NodesDeps,
  server: ServerId,
  isTrustedPure: boolean,
  signal: AbortSignal,
): Promise<readonly KnownNode[]> {
  const described = await tools(server)
  const answers = await toolIndex.answers(server)
  const told = await door.told?.of(server)
  const known = described.map(async (tool): Promise<KnownNode> => {
    const facts = await door.servers.know({ server, name: tool.name }, signal)
    const labels = answers.get(tool.name)
    const raised = labels && told ? raiseTree(labels, told) : labels
    return nodeFor(tool, facts, { isTrustedPure, answers: raised })
  })
  return await Promise.all(known)
}

interface NodeRequest {
  readonly isTrustedPure: boolean
  readonly answers: LabelTree | undefined
}

/** Facts are the same object while tool and definition are, so the node made of them is kept with them. */
const known = new WeakMap<ToolFacts, NodeRequest & { readonly node: KnownNode }>()

function nodeFor(
  tool: ToolDescription,
  facts: ToolFacts,
  { isTrustedPure, answers }: NodeRequest,
): KnownNode {
  const last = known.get(facts)
  if (last?.isTrustedPure === isTrustedPure && last.answers === answers) return last.node
  const descriptor = descriptorFor(tool, facts, { isTrustedPure })
  const node = { descriptor, facts, ...(answers && { answers }) }
  // Both were read one after the other: a tool that changed in between is not kept with the facts of the new one.
  if (tool.hash === facts.hash) known.set(facts, { isTrustedPure, answers, node })
  return node
}

const own = new WeakMap<NodeDescriptor, KnownNode>()

/** The facts of a model's tools are others as soon as the owner's profiles are. */
function builtIns({ builtIns: tools }: NodesDeps): readonly KnownNode[] {
  return BUILT_IN_NODES.map((descriptor) => {
    const tool = toolOf(descriptor)
    const facts = tool && tools.know(tool)
    const last = own.get(descriptor)
    if (last && last.facts === facts) return last
    const node = { descriptor, ...(facts && { facts }) }
    own.set(descriptor, node)
    return node
  })
}
