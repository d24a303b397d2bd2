/** Reads every node that exists now: the built-in ones, and the tools of all servers as last seen. Starts no server. */
import { raiseTree } from '../../labels/label-tree.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { BUILT_IN_NODES } from './built-in-nodes.ts'
import { descriptorFor } from './describe-tool.ts'
import { toolOf } from '../runs/run-plan.ts'
import type { FlowDeps } from '../flow-deps.ts'
import { createNodeIndex, type KnownNode, type NodeIndex } from './node-index.ts'

type NodesDeps = Pick<FlowDeps, 'door' | 'toolIndex' | 'tools' | 'builtIns'>

/** `isTrustedPure`: a server's hint that a tool only reads is trusted, if the facts of the host agree. */
export async function readNodes(
  deps: NodesDeps,
  isTrustedPure: boolean,
  signal: AbortSignal,
): Promise<NodeIndex> {
  const listed = await deps.toolIndex.list()
  const servers = new Set(listed.map(({ card }) => card.id.server))
  const read = (server: ServerId): Promise<readonly KnownNode[]> =>
    readServer(deps, server, isTrustedPure, signal)
  const tools = await Promise.all([...servers].map(read))
  return createNodeIndex([...builtIns(deps), ...tools.flat()])
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
