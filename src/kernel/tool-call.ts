/** A tool call, what may become of it, and what comes back: the values that pass the one door. */
import type { Json } from './json.ts'
import type { Label } from './label.ts'
import type { Principal } from './principal.ts'
import type { ToolId } from './tool-id.ts'

export interface ToolCall {
  readonly callId: string
  readonly principal: Principal
  readonly tool: ToolId
  readonly args: Readonly<Record<string, Json>>
}

export type Verdict =
  | { readonly kind: 'allow'; readonly rule: string }
  | { readonly kind: 'ask'; readonly rule: string; readonly reason: string }
  | { readonly kind: 'deny'; readonly rule: string; readonly reason: string }

export type ToolResult =
  | { readonly kind: 'ok'; readonly value: Json; readonly label: Label }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }
