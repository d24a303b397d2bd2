/** A tool that differs from its accepted definition, with both definitions for the owner to compare. */
import type { JsonObject } from './json.ts'

export interface ToolChange {
  readonly name: string
  /** The accepted definition; absent for a new tool, or if it is no longer known. */
  readonly before?: JsonObject
  /** The present definition; absent if the server no longer lists the tool. */
  readonly now?: JsonObject
  /** The hash of the present definition, or of the accepted one if the tool is gone. The owner accepts this hash. */
  readonly hash: string
  /** The owner quarantined the server, and the tool has not changed since. */
  readonly isHeld?: boolean
}

/** The tools to accept, each with the hash of the definition that the owner saw. */
export type SeenTools = Readonly<Record<string, string>>
