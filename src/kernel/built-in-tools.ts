/** Tools that no server runs: the owner's files, and models. They are known, judged and called like all others, through the one door. */
import type { Servers } from './ports.ts'
import type { ServerId } from './server-id.ts'
import type { ToolFacts } from './tool-facts.ts'
import type { ToolId } from './tool-id.ts'
import type { Capability } from './capability.ts'
import type { ToolCall, ToolResult } from './tool-call.ts'

/** No definition can have these names: a slug holds no tilde. */
export const FILES = '~files' as ServerId
export const MODEL = '~model' as ServerId

export function isBuiltIn(tool: ToolId | undefined): boolean {
  return tool?.server === FILES || tool?.server === MODEL
}

export interface BuiltInTools {
  /** Undefined where the tool is none of ours. */
  know(tool: ToolId): ToolFacts | undefined
  call(capability: Capability, signal: AbortSignal): Promise<ToolResult>
  misfit(call: Pick<ToolCall, 'tool' | 'args'>): string | undefined
}

type Called = Pick<Servers, 'know' | 'call' | 'misfit'>

/** The same door for both: a tool of ours is looked for first, by a name that no server can have. */
export function withBuiltIns(servers: Called, builtIns: BuiltInTools): Called {
  return {
    know: (tool, signal) => builtIns.know(tool) ?? servers.know(tool, signal),
    call: (capability, signal) =>
      (isBuiltIn(capability.tool) ? builtIns : servers).call(capability, signal),
    misfit: async (call) => await (isBuiltIn(call.tool) ? builtIns : servers).misfit(call),
  }
}
