/** A tool is the pair (server, name). It is shown as `notion.search`, and never read back from that text. */
import type { ServerId } from './server-id.ts'

export interface ToolId {
  readonly server: ServerId
  readonly name: string
}

export function showTool(tool: ToolId): string {
  return `${tool.server}.${tool.name}`
}
