/** The words of an import: what another program's configuration became, and what was done with its tokens. */
import type { DefinitionProblem } from './server-definition.ts'

export interface ImportRequest {
  readonly path: string
  readonly dryRun: boolean
  /** Keeps the original, encrypted in the vault, so that `undo` can restore it. */
  readonly backup: boolean
  /** Replace definitions of the same name; without it they are left alone and reported. */
  readonly replace: boolean
}

export interface ImportedServer {
  readonly server: string
  readonly path: string
  readonly action: 'created' | 'replaced' | 'kept' | 'removed' | 'restored'
  /** What it runs, or where it is; absent where nothing was written. */
  readonly runs?: string
  /** Names of the secrets that were found in plain text and now live in the vault. */
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
