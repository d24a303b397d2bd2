/**
 * The limits of a schedule that was made without a template of `config.toml`: the tools of its flow and no others, every
 * change asks, nothing above `sensitive`, and results to the owner alone. Derived from the flow as it is saved now.
 */
import { FILES, MEMORY, MODEL } from '../../kernel/built-in-tools.ts'
import type { SavedFlowRows } from '../../ports/saved-flow-port.ts'
import { ownTemplate } from '../../text/own-template.ts'
import type { Template } from '../../kernel/tool-call.ts'
import { OWNER_SINK, TELEGRAM_SINK } from '../../labels/sink.ts'
import { type FlowNode, parseIr } from '../language/ir.ts'

const MOST_CALLS = 100
/** The prefix that no name of a template in `config.toml` is looked up with. */
const PREFIX = ownTemplate('')

/** Undefined if the name is not that of such limits, or there is no such flow. */
export async function readOwnTemplate(
  rows: Pick<SavedFlowRows, 'get'>,
  name: string,
): Promise<Template | undefined> {
  const stored = isOwnTemplate(name) ? await rows.get(name.slice(PREFIX.length)) : undefined
  if (!stored) return undefined
  const { nodes } = parseIr(JSON.parse(stored.ir))
  return {
    name,
    allowed: [...new Set(nodes.map(toolOf)), ...BUILT_IN],
    denied: [],
    maxCalls: MOST_CALLS,
    ceiling: 'sensitive',
    sinks: [OWNER_SINK.name, TELEGRAM_SINK.name],
    asksForWrites: true,
  }
}

export function isOwnTemplate(name: string): boolean {
  return name.startsWith(PREFIX)
}

/** Nodes that Cordon itself runs name no server. */
const BUILT_IN = [FILES, MODEL, MEMORY].map((server) => `${server}.*`)

/** A saved flow is pinned, so each node of a server names its tool. */
function toolOf({ type, mcp_metadata: tool }: FlowNode): string {
  return tool?.server_id === undefined ? type : `${tool.server_id}.${tool.tool_name ?? ''}`
}
