/** An import of another program's configuration: the definitions it became, and the tokens that were moved. */
import type { DefinitionProblem } from './server-definition.ts'

export interface ImportRequest {
  readonly path: string
  readonly dryRun: boolean
  /** Keeps the original, encrypted in the vault, so that `undo` can restore it. */
  readonly backup: boolean
  /** Replaces definitions of the same name; without this flag they are kept and reported. */
  readonly replace: boolean
}

export interface ImportedServer {
  readonly server: string
  readonly path: string
  readonly action: 'created' | 'replaced' | 'kept' | 'removed' | 'restored'
  /** The command or the URL; absent if no definition was written. */
  readonly runs?: string
  /** Names of the secrets that were found in plain text and are now in the vault. */
  readonly movedSecrets: readonly string[]
  readonly notes: readonly string[]
}

export interface ImportReport {
  readonly id: string
  readonly format: string
  readonly dryRun: boolean
  readonly servers: readonly ImportedServer[]
  readonly problems: readonly DefinitionProblem[]
  readonly notes: readonly string[]
}
