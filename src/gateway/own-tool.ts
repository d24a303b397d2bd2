/** A tool of the gateway itself, beside those of the servers. It reaches a server only by a call through the one door. */
import type { JsonObject } from '../text/json.ts'
import type { ClientSession } from './client-session.ts'
import type { OfferedTool } from './offered-tools.ts'

export interface OwnCall {
  readonly session: ClientSession
  readonly args: JsonObject
  /** Calls a tool of a server as if the client had named it. */
  readonly callOffered: (tool: OfferedTool, args: JsonObject) => Promise<JsonObject>
  /** Aborts when the client's own timeout is near. */
  readonly leave: AbortSignal
  readonly signal: AbortSignal
}

export interface OwnTool {
  /** As `tools/list` answers it. */
  readonly definition: JsonObject & { readonly name: string }
  /** It may take longer than a client waits in silence. */
  readonly isLong?: true
  call(call: OwnCall): Promise<JsonObject>
}

/** The hints of a tool that does nothing outside Cordon. */
export const HARMLESS: JsonObject = { readOnlyHint: true, destructiveHint: false }
