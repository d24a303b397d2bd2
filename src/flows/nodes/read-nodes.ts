/**
 * Reads every node that exists now: the built-in ones, and the tools of all servers as last seen. In a folder, also those
 * of its trusted project, of which a server that never ran is started to list its tools; no other server is.
 */
import { raiseTree } from '../../labels/label-tree.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { BUILT_IN_NODES } from './built-in-nodes.ts'
import { descriptorFor } from './describe-tool.ts'
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
  return createNodeIndex([...builtIns(deps), ...tools.flat()])
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
    const descriptor = descriptorFor(tool, facts, { isTrustedPure })
    return {
      descriptor,
      facts,
      ...(labels && { answers: told ? raiseTree(labels, told) : labels }),
    }
  })
  return await Promise.all(known)
}

function builtIns({ builtIns: tools }: NodesDeps): readonly KnownNode[] {
  return BUILT_IN_NODES.map((descriptor) => {
    const tool = toolOf(descriptor)
    const facts = tool && tools.know(tool)
    return { descriptor, ...(facts && { facts }) }
  })
}
