/** Tools that Cordon runs itself: files, models, memory. They pass the same door as the tools of servers. */
import type { Servers } from './ports.ts'
import type { ServerId } from './server-id.ts'
import type { ToolFacts } from './tool-facts.ts'
import type { ToolId } from './tool-id.ts'
import type { Capability } from './capability.ts'
import type { ToolCall, ToolResult } from './tool-call.ts'

/** No definition can have these names: a slug holds no tilde. */
export const FILES = '~files' as ServerId
export const MODEL = '~model' as ServerId
export const MEMORY = '~memory' as ServerId
/** The name under which a question about a whole plan stands in the list of questions; it has no tools. */
export const PLAN = '~plan' as ServerId

export function isBuiltIn(tool: ToolId | undefined): boolean {
  return tool !== undefined && [FILES, MODEL, MEMORY].includes(tool.server)
}

export interface BuiltInTools {
  /** Undefined if the tool is not built in. */
  know(tool: ToolId): ToolFacts | undefined
  call(capability: Capability, signal: AbortSignal): Promise<ToolResult>
  misfit(call: Pick<ToolCall, 'tool' | 'args'>): string | undefined
}

type Called = Pick<Servers, 'know' | 'call' | 'misfit'>

/** Routes each call to the built-in tools or to the servers. A built-in tool has a name that no server can have. */
export function withBuiltIns(servers: Called, builtIns: BuiltInTools): Called {
  return {
    know: (tool, signal) => builtIns.know(tool) ?? servers.know(tool, signal),
    call: (capability, signal) =>
      (isBuiltIn(capability.tool) ? builtIns : servers).call(capability, signal),
    misfit: async (call) => await (isBuiltIn(call.tool) ? builtIns : servers).misfit(call),
  }
}
