/**
 * A flow that says exactly which tools it means: by their full names, and as they are now. What is saved is saved like
 * this, so that a tool that appears or changes later cannot take the place of one that was meant.
 */
import type { CheckedNode } from './checked-flow.ts'
import { type FlowIr, type FlowNode, type McpMetadata, SAVED_VERSION } from '../language/ir.ts'
import type { NodePin } from '../nodes/node-descriptor.ts'

type Known = ReadonlyMap<string, Pick<CheckedNode, 'known'>>

export function pinFlow(ir: FlowIr, { nodes }: { readonly nodes: Known }): FlowIr {
  const pinned = (node: FlowNode): FlowNode => {
    const descriptor = nodes.get(node.id)?.known?.descriptor
    if (!descriptor) return node
    const { id: type, pin } = descriptor
    if (!pin) return { ...node, type }
    return { ...node, type, mcp_metadata: { ...node.mcp_metadata, ...metadataOf(pin) } }
  }
  return { ...ir, nodes: ir.nodes.map(pinned) }
}

function metadataOf({ tool, hash, version }: NodePin): McpMetadata {
  return {
    server_id: tool.server,
    tool_name: tool.name,
    manifest_hash: `sha256:${hash}`,
    ...(version !== undefined && { version }),
  }
}

/** The flow as it is stored under a name; two flows with the same spelling are the same flow. */
export function spellSaved(name: string, pinned: FlowIr): string {
  const metadata = { ...pinned.metadata, name }
  return JSON.stringify({ ...pinned, ir_version: SAVED_VERSION, metadata })
}
