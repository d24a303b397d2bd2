/** The definition of one server, known before it ever runs: the content of one `mcp/<slug>.toml`. */
import type { FormatRules } from '../text/content-format.ts'
import type { Json } from '../text/json.ts'
import type { Level } from '../labels/label.ts'
import type { ImageRoot } from './image-root.ts'
import type { ServerLimits } from '../text/server-limits.ts'
import type { SecretRef } from './secret-ref.ts'
import type { ServerId } from './server-id.ts'
import type { Role } from './tool-facts.ts'

export type TransportKind = 'stdio' | 'uds' | 'pipe' | 'sse' | 'stream-http'

/** True for a server reached over the network by URL; all others are on this machine. */
export function isRemote(transport: TransportKind): boolean {
  return transport === 'sse' || transport === 'stream-http'
}

/** The place of a definition's file. The user's file wins over the system's; a project's is used where neither has its name. */
export type DefinitionScope = 'project' | 'user' | 'system'

export type DefinitionSource =
  | { readonly kind: 'official'; readonly name: string; readonly version?: string }
  | { readonly kind: 'smithery'; readonly qualifiedName: string }
  | { readonly kind: 'catalog'; readonly name: string }
  | { readonly kind: 'manual'; readonly url?: string }

export interface ServerPackage {
  readonly kind: 'npm' | 'docker' | 'pypi' | 'http'
  readonly identifier: string
  readonly version?: string
  /** Of an image, whose version is a digest: the tag of its line. Computed at the start; a file has it in its line only. */
  readonly tag?: string
  readonly integrity?: string
  /** Its install scripts were run, on the owner's word. */
  readonly scripts?: 'allowed'
  readonly runtimeHint?: string
}

export interface SandboxSettings {
  readonly mode: 'bwrap' | 'container' | 'none'
  readonly memoryLimitBytes: number
  readonly readOnlyFs: boolean
  readonly allowTmp: boolean
  /** A folder of its own in Cordon's home, as `/home/mcp/data`, kept between starts. */
  readonly keepsData?: boolean
  /** It starts the browser of this machine, whose path replaces `{browser}` in its arguments and variables. */
  readonly startsBrowser?: boolean
  /** It may be told when a file is opened or read, of everything that it sees: also when a program in /usr starts. */
  readonly watchesOpening?: boolean
  /** It may connect to every TCP port in its network namespace, where only it listens; else to the proxy and the tunnels. */
  readonly ownPorts?: boolean
  readonly readPaths: readonly string[]
  readonly writePaths: readonly string[]
  /** The root file system of an image. Computed at the start from the installed image; a file cannot set it. */
  readonly image?: ImageRoot
}

/** The effect of a tool, as the catalog or the owner says. `write` can be undone, `destructive` cannot. */
export const SEMANTICS = ['read', 'write', 'destructive', 'exec'] as const
export type Semantics = (typeof SEMANTICS)[number]

/** Settings for one tool, by the catalog or the owner. The server's hints can only make them stricter. */
export interface ToolOverride {
  readonly semantics?: Semantics
  /** A person checked that the server's hints overstate the tool's effect. The tool's name still counts. */
  readonly hints?: 'ignored'
  readonly enabled?: boolean
  readonly description?: string
  /** Roles of arguments whose names do not tell. */
  readonly roles?: Readonly<Record<string, Role>>
  /** The answer is one text that holds JSON; it is parsed as such. */
  readonly answers?: 'json'
  /** Paths in a structured answer to values that the service itself generates, such as ids: `items[*].id`. */
  readonly fields?: readonly string[]
  /** Such paths that list the people or channels of the service: the owner's own words may go to any of them. */
  readonly directory?: readonly string[]
}

export interface ServerDefinition {
  /** The catalog vouches for the program. Computed on load; a file cannot claim it. */
  readonly isKnown?: boolean
  /** The catalog's rules for a known server. Computed on load, too. */
  readonly formats?: FormatRules
  readonly id: ServerId
  /** As shown to people: `Google Drive`. */
  readonly name: string
  readonly description: string
  readonly label: Level
  readonly transport: TransportKind
  readonly command?: string
  readonly args: readonly string[]
  readonly url?: string
  /** Plain http to this machine. Weakens the connection, and is shown wherever the server is. */
  readonly dangerouslyAllowHttp?: boolean
  /** For a server that listens on a socket or pipe of this machine. */
  readonly socketPath?: string
  /** The HTTP path on the socket; absent: one message per line, as over stdio. */
  readonly httpPath?: string
  readonly allowedDomains: readonly string[]
  /** The file names no hosts at all, so that the catalog's may be taken. */
  readonly hostsUnsaid?: boolean
  readonly enabled: boolean
  readonly disabledReason?: string
  /** Absent: eager when the credentials resolve, else lazy. */
  readonly start?: 'eager' | 'lazy'
  readonly version?: string
  readonly scopes: readonly string[]
  readonly source?: DefinitionSource
  readonly package?: ServerPackage
  /** Plain settings by environment name, or `header:NAME` for a remote server. Never a token. */
  readonly env: Readonly<Record<string, string>>
  /** Secret references by environment name, or by `bearer` or `header:NAME` for a remote server. */
  readonly auth: Readonly<Record<string, SecretRef>>
  /** Keys of `auth` whose value the server never holds, each with the hosts that are told it. */
  readonly sealed?: Readonly<Record<string, readonly string[]>>
  readonly sandbox: SandboxSettings
  readonly limits?: ServerLimits
  readonly tools: Readonly<Record<string, ToolOverride>>
  /** The server's own settings; `${config.NAME}` in an argument or under `env` is replaced by one. */
  readonly config: Readonly<Record<string, Json>>
}

export interface LoadedDefinition {
  readonly definition: ServerDefinition
  /** The id under which a project's server runs: each folder has its own. Absent: the definition's. */
  readonly runsAs?: ServerId
  readonly scope: DefinitionScope
  readonly path: string
  /** For people: a hand edit since Cordon last wrote the file, an unknown field, a shadowed file. */
  readonly warnings: readonly string[]
}

/** A file that could not be loaded. Never prevents another file from loading. */
export interface DefinitionProblem {
  readonly path: string
  readonly line?: number
  readonly message: string
}
