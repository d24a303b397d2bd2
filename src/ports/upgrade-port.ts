/** Another version of a server's package: the differences before it is taken, the change itself, and one step back. */
import type { ServerDefinition } from '../kernel/server-definition.ts'
import type { SeenTools, ToolChange } from '../text/tool-change.ts'

/** Facts about one installed version, as the registry states them. Untrusted, apart from the sizes. */
export interface VersionFacts {
  readonly version: string
  readonly publisher?: string
  /** ISO time. */
  readonly publishedAt?: string
  readonly deprecated?: string
  /** The repository it was built from, as a verified statement proves. */
  readonly provenBy?: string
  readonly bytes: number
  readonly packages: number
}

export interface NameChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** The difference between two installed versions, found in their files. No code of either runs. */
export interface PackageDifference {
  readonly before: VersionFacts
  readonly after: VersionFacts
  /** Files that are new, gone or other, all packages together. */
  readonly files: { readonly added: number; readonly removed: number; readonly changed: number }
  /** Of the package itself, the first ones: `+ index.js`, `- old.js`, `~ main.js`. */
  readonly named: readonly string[]
  /** Other packages that it brings along: `zod 4.1.0`. */
  readonly parts: NameChanges
  /** Hosts that are named in code of one version only. Naming one is not reaching one: the allow-list decides. */
  readonly hosts: NameChanges
  /** The number of code files that differ and were not read for hosts: they are too large, or too many. */
  readonly unread: number
  /** Packages with install scripts, whether those ran or were refused. */
  readonly scripts: NameChanges
}

/** The result of a trial run of another version of a server. */
export interface ToolPeek {
  /** Tools that would be new, other or gone. */
  readonly changes: readonly ToolChange[]
  /** Hosts to which a connection was tried, and refused. */
  readonly tried: readonly string[]
}

export interface Peeking {
  /** Runs the server as this definition would, without hosts, credentials or folders, and compares its tools. */
  peek(definition: ServerDefinition, signal: AbortSignal): Promise<ToolPeek>
}

export interface UpgradePlan extends PackageDifference {
  readonly server: string
  readonly package: string
  /** The hash over all files of the new version; taking the upgrade is bound to it. */
  readonly manifest: string
  /** Tools that would be new, other or gone; found in a trial run without network, credentials and folders. */
  readonly tools?: readonly ToolChange[]
  /** Why the tools are not known before the first real start. */
  readonly toolsUnknown?: string
  /** Hosts that it tried to reach in the trial run. */
  readonly tried: readonly string[]
  /** Packages whose install scripts run when it is taken; none of them has run for the plan. */
  readonly willRun: readonly string[]
}

export interface SeenUpgrade {
  readonly version: string
  readonly manifest: string
  readonly tools: SeenTools
  /** The owner's word, on a terminal, that the install scripts that were shown may run. */
  readonly allowScripts?: boolean
}

export interface TakenUpgrade {
  readonly server: string
  readonly from: string
  readonly to: string
  /** Tools that wait for the owner's acceptance, by name. */
  readonly waiting: readonly string[]
}

export interface Upgrades {
  /** Fetches the newer version beside the one in use, and compares them; no install script runs. Undefined: the newest is in use. */
  plan(server: string, signal: AbortSignal): Promise<UpgradePlan | undefined>
  /** Switches to the version of a plan, and accepts the tools that were seen in it. */
  take(server: string, seen: SeenUpgrade, signal: AbortSignal): Promise<TakenUpgrade>
  /** Back to the version before the last upgrade. */
  undo(server: string, signal: AbortSignal): Promise<TakenUpgrade>
  /** The step of the work under way; undefined if there is none. */
  step(server: string): string | undefined
  /** The version that `undo` would go back to. */
  before(server: string): Promise<string | undefined>
  /** Folders of packages that `undo` needs, each with its server. */
  kept(): Promise<ReadonlyMap<string, string>>
}
