/** The servers that a project brings along in `.cordon/mcp`, as shown to the owner before they trust them. */
import type { DefinitionProblem } from './server-definition.ts'

export interface ProjectServer {
  readonly server: string
  readonly path: string
  readonly transport: string
  /** The settings, the command and its arguments, or the address. */
  readonly runs: string
  /** Names of the environment variables or headers that it sets. */
  readonly settings: readonly string[]
  readonly hosts: readonly string[]
  readonly readPaths: readonly string[]
  readonly writePaths: readonly string[]
  /** References to secrets, never a value. */
  readonly secrets: readonly { readonly key: string; readonly ref: string }[]
  /** The file of the owner's own server of the same name. */
  readonly hides?: string
  /** It is used in this project, as far as the project is trusted; false while the owner's own is. */
  readonly isUsed: boolean
  readonly warnings: readonly string[]
}

/** The owner's decision about a project. */
export interface ProjectChoice {
  /** The hash of what they were shown. */
  readonly seen: string
  /** Servers of the project that are used there instead of the owner's own of the same name. */
  readonly instead: readonly string[]
}

export interface ProjectView {
  readonly folder: string
  /** Over the bytes of all its files: trust is given for exactly these. */
  readonly hash: string
  readonly isTrusted: boolean
  readonly servers: readonly ProjectServer[]
  /** Files that are not used, trusted or not. */
  readonly problems: readonly DefinitionProblem[]
}
