/** A tool that is not as its owner last accepted it, with all it takes to look before accepting. */
import type { JsonObject } from '../text/json.ts'

export interface ToolChange {
  readonly name: string
  /** As it was accepted; absent where it is new, or where that is no longer known. */
  readonly before?: JsonObject
  /** As its server describes it now; absent where it is gone. */
  readonly now?: JsonObject
  /** Of what it is now, or of what it was where it is gone. To accept a change is to name this hash. */
  readonly hash: string
}

/** Which tools to accept, each by the hash of what was looked at. */
export type SeenTools = Readonly<Record<string, string>>
