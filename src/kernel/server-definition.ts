/** What Cordon knows about one server before it ever runs: the content of one `mcp/<slug>.toml`. */
import type { Json } from '../text/json.ts'
import type { Level } from '../labels/label.ts'
import type { SecretRef } from './secret-ref.ts'
import type { ServerId } from './server-id.ts'
import type { Role } from './tool-facts.ts'

export type TransportKind = 'stdio' | 'uds' | 'pipe' | 'sse' | 'stream-http'

/** Reached over the network by its URL; every other kind is on this machine. */
export function isRemote(transport: TransportKind): boolean {
  return transport === 'sse' || transport === 'stream-http'
}

/** Where a definition came from. What is nearer wins: project, then user, then system. */
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
  readonly integrity?: string
  readonly runtimeHint?: string
}

export interface SandboxSettings {
  readonly mode: 'bwrap' | 'container' | 'none'
  readonly memoryLimitBytes: number
  readonly readOnlyFs: boolean
  readonly allowTmp: boolean
  readonly readPaths: readonly string[]
  readonly writePaths: readonly string[]
}

/** What a tool does, as the catalog or the owner says. `write` can be taken back, `destructive` cannot. */
export const SEMANTICS = ['read', 'write', 'destructive', 'exec'] as const
export type Semantics = (typeof SEMANTICS)[number]

/** The catalog's or the owner's word about one tool. What the server says can only make it stricter. */
export interface ToolOverride {
  readonly semantics?: Semantics
  /** Somebody looked although the server's hints make it sound worse than it is. Its name still counts. */
  readonly hints?: 'ignored'
  readonly enabled?: boolean
  readonly description?: string
  /** What its arguments are for, where their names do not tell. */
  readonly roles?: Readonly<Record<string, Role>>
  /** Its answer is one text, which its server writes as JSON; it is read as such. */
  readonly answers?: 'json'
  /** Where its structured answers hold what the service itself made up, such as ids: `items[*].id`. */
  readonly fields?: readonly string[]
}

export interface ServerDefinition {
  /** The catalog vouches for what it runs. Found out when it is loaded; a file cannot say it. */
  readonly isKnown?: boolean
  readonly id: ServerId
  /** As shown to people: `Google Drive`. */
  readonly name: string
  readonly description: string
  readonly label: Level
  readonly transport: TransportKind
  readonly command?: string
  readonly args: readonly string[]
  readonly url?: string
  /** Plain http to this machine; weakens a remote server's connection, and is shown wherever the server is. */
  readonly dangerouslyAllowHttp?: boolean
  /** Of a server that listens on this machine. */
  readonly socketPath?: string
  /** Where on its socket it speaks HTTP; absent: one message per line, as over standard input and output. */
  readonly httpPath?: string
  readonly allowedDomains: readonly string[]
  readonly enabled: boolean
  /** Absent: eager when the credentials resolve, else lazy. */
  readonly start?: 'eager' | 'lazy'
  readonly version?: string
  readonly scopes: readonly string[]
  readonly source?: DefinitionSource
  readonly package?: ServerPackage
  /** Plain settings: environment names, or `header:NAME` for a remote server. A token never stays here. */
  readonly env: Readonly<Record<string, string>>
  /** Environment name, or `bearer` or `header:NAME` for a remote server, to secret reference. */
  readonly auth: Readonly<Record<string, SecretRef>>
  readonly sandbox: SandboxSettings
  readonly tools: Readonly<Record<string, ToolOverride>>
  /** Settings of the server itself; `${config.NAME}` in an argument or under `env` stands for one. */
  readonly config: Readonly<Record<string, Json>>
}

export interface LoadedDefinition {
  readonly definition: ServerDefinition
  readonly scope: DefinitionScope
  readonly path: string
  /** For people: a hand edit since Cordon last wrote the file, an unknown field, a shadowed file. */
  readonly warnings: readonly string[]
}

/** A file that could not be loaded. It never keeps another one from loading. */
export interface DefinitionProblem {
  readonly path: string
  readonly line?: number
  readonly message: string
}
