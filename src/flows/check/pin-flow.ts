/**
 * A flow that says exactly which tools it means: by their full names, and as they are now. What is saved is saved like
 * this, so that a tool that appears or changes later cannot take the place of one that was meant.
 */
import type { CheckReport } from './check-flow.ts'
import type { FlowIr, FlowNode } from '../language/ir.ts'

export function pinFlow(ir: FlowIr, { nodes }: Pick<CheckReport, 'nodes'>): FlowIr {
  const pinned = (node: FlowNode): FlowNode => {
    const descriptor = nodes.get(node.id)?.known?.descriptor
    if (!descriptor) return node
    const { id: type, pin } = descriptor
    if (!pin) return { ...node, type }
    const { server, name } = pin.tool
    const now = { server_id: server, tool_name: name, manifest_hash: `sha256:${pin.hash}` }
    return { ...node, type, mcp_metadata: { ...node.mcp_metadata, ...now } }
  }
  return { ...ir, nodes: ir.nodes.map(pinned) }
}
