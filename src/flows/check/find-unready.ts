/** The servers of a flow that cannot be used now, each with the reason. Asks no server, and starts nothing. */
import { FILES, MEMORY, MODEL } from '../../kernel/built-in-tools.ts'
import type { FlowFinding } from '../../ports/flow-port.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { Problem } from '../../text/problem.ts'
import type { FlowDeps } from '../flow-deps.ts'
import { toolOf } from '../runs/run-plan.ts'
import type { CheckedNode } from './checked-flow.ts'

export interface Unready {
  readonly server: ServerId
  readonly problem: Problem
}

/** In the order of the flow. File tools are always ready. */
export async function findUnready(
  { readiness }: Pick<FlowDeps, 'readiness'>,
  nodes: Iterable<CheckedNode>,
): Promise<readonly Unready[]> {
  const found: Unready[] = []
  for (const { server, tools, profile } of usedBy(nodes)) {
    const used = { tools: [...tools], ...(profile !== undefined && { profile }) }
    const problem = await readiness?.(server, used)
    if (problem) found.push({ server, problem })
  }
  return found
}

/** Permissions that a flow is known to lack, by the id of the server as their place: signing in again can add them. */
export function scopeFindings(unready: readonly Unready[]): readonly FlowFinding[] {
  return unready.flatMap(({ server, problem }) =>
    problem.code === NO_SCOPE ? [{ ...problem, severity: 'warning', place: server }] : [],
  )
}

/** Everything else that keeps the flow from running now: no model, a locked vault, a server that is switched off. */
export function unreadyFindings(unready: readonly Unready[]): readonly FlowFinding[] {
  return unready.flatMap(({ server, problem }) => {
    const place = server === MODEL ? 'models' : server
    return problem.code === NO_SCOPE ? [] : [{ ...problem, severity: 'error', place }]
  })
}

const NO_SCOPE = 'servers.no-scope'

interface Used {
  readonly server: ServerId
  readonly tools: Set<string>
  /** Only of a model: the profile, if the flow names one literally. */
  readonly profile?: string
}

function usedBy(nodes: Iterable<CheckedNode>): readonly Used[] {
  const used = new Map<string, Used>()
  for (const { node, known } of nodes) {
    const tool = known && toolOf(known.descriptor)
    if (!tool || tool.server === FILES || tool.server === MEMORY) continue
    const profile = tool.server === MODEL ? profileIn(node.params) : undefined
    const key = `${tool.server} ${profile ?? ''}`
    const { tools } = used.get(key) ?? { tools: new Set<string>() }
    tools.add(tool.name)
    used.set(key, { server: tool.server, tools, ...(profile !== undefined && { profile }) })
  }
  return [...used.values()]
}

function profileIn({ model }: CheckedNode['node']['params']): string | undefined {
  return typeof model === 'string' && !model.includes('${') ? model : undefined
}
