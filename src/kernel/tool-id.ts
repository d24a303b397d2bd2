/** A tool is the pair (server, name), shown as `notion.search`. Only what a person typed is ever read back from that text. */
import type { ServerId } from './server-id.ts'

export interface ToolId {
  readonly server: ServerId
  readonly name: string
}

export function showTool(tool: ToolId): string {
  return `${tool.server}.${tool.name}`
}

/** What a person typed as `notion.search`. No server's name holds a dot, so the first one ends it; undefined without one. */
export function splitTool(
  text: string,
): { readonly server: string; readonly tool: string } | undefined {
  const dot = text.indexOf('.')
  return dot > 0 ? { server: text.slice(0, dot), tool: text.slice(dot + 1) } : undefined
}
