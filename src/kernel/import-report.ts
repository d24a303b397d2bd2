/** An import of another program's configuration: the definitions it became, and the tokens that were moved. */
import type { DefinitionProblem } from './server-definition.ts'

export interface ImportRequest {
  /** The file or folder to read; with `text`, the name under which that is reported. */
  readonly path: string
  /** The id of the import, if the caller has written it down already; else a new one. */
  readonly id?: string
  /** Pasted settings, read instead of a file. May hold tokens. */
  readonly text?: string
  /** Refuses entries that name a program of this machine: whoever asks may not choose those. */
  readonly onlyPackages?: boolean
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
  /** The npm package that is installed in its sandbox: `@scope/name@1.2.3`. */
  readonly installs?: string
  readonly hosts?: readonly string[]
  /** The reason why the server cannot run yet, with the way forward. */
  readonly missing?: string
  /** The kind of `missing`: a step of the owner's, or `unable` if this machine cannot run it. */
  readonly waits?: 'sign-in' | 'secret' | 'folders' | 'off' | 'unable'
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
