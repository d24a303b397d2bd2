/** A tool is the pair (server, name), shown as `notion.search`. That form is parsed only where a person typed it. */
import type { ServerId } from './server-id.ts'

export interface ToolId {
  readonly server: ServerId
  readonly name: string
}

export function showTool(tool: ToolId): string {
  return `${tool.server}.${tool.name}`
}

/** Splits `notion.search`, as a person typed it, at the first dot: no slug holds one. Undefined without a dot. */
export function splitTool(
  text: string,
): { readonly server: string; readonly tool: string } | undefined {
  const dot = text.indexOf('.')
  return dot > 0 ? { server: text.slice(0, dot), tool: text.slice(dot + 1) } : undefined
}
