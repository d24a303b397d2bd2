/**
 * The id of a tool as a node: `mcp-github-search-code`, in lower case with hyphens, without words that repeat the
 * server's name (`send_slack_message` of `slack` is `mcp-slack-send-message`). Two tools that would share an id keep the
 * spelling of their servers, so an id never means two tools.
 */
import type { ServerId } from '../../kernel/server-id.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import type { NodeDescriptor } from './node-descriptor.ts'

export function nodeId({ server, name }: ToolId): string {
  const tool = wordsOf(name)
  const slug = slugOf(server)
  const words = withoutServer(tool, wordsOf(slug)) ?? tool
  return words.length === 0 ? exactId({ server, name }) : `mcp-${slug}-${words.join('-')}`
}

/** The name by which people call a server: that of a project's runs under an id of its own, `helper~1f0c…`. */
export function slugOf(server: ServerId): string {
  return server.split('~')[0] ?? server
}

/** The words of a tool's name that are not in its server's; undefined if that leaves none, or all. */
export function withoutServer(tool: Words, server: Words): Words | undefined {
  const rest = tool.filter((word) => !server.includes(word))
  return rest.length > 0 && rest.length < tool.length ? rest : undefined
}

export function withUniqueIds<N extends { readonly descriptor: NodeDescriptor }>(
  nodes: readonly N[],
): readonly N[] {
  const shared = Map.groupBy(nodes, ({ descriptor }) => descriptor.id)
  return nodes.map((node) => {
    const { id, pin } = node.descriptor
    if (!pin || shared.get(id)?.length === 1) return node
    return { ...node, descriptor: { ...node.descriptor, id: exactId(pin.tool) } }
  })
}

function exactId({ server, name }: ToolId): string {
  return `mcp-${slugOf(server)}-${name}`
}

export type Words = readonly string[]

export function wordsOf(name: string): Words {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
