/** Ports of the catalog: known services, registries and pasted lines. Installs packages, never runs one. */
import type { ServerDefinition } from '../kernel/server-definition.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { Service, ServiceLaunch } from './service-facts.ts'

/** Resolves a name or a pasted line to a service. Pure: makes no request. */
export interface Catalog {
  readonly services: readonly Service[]
  /** By slug, title or alias, after folding case, spaces and look-alike characters. */
  find(name: string): Service | undefined
  /** Known names close to one that is not known, best first, at most three. */
  suggest(name: string): readonly string[]
  /** The known service that a name imitates: spelled in another alphabet, or with a swapped or doubled letter. */
  imitates(name: string): Service | undefined
  /** Parses a `npx`, `docker run` or `uvx` line, URL, package name, domain or server.json; throws if malformed. */
  parsePasted(text: string): Service | undefined
  /** The service that a definition launches; undefined if it names a program of this machine. Throws if malformed. */
  parseLaunch(launch: Launch): Service | undefined
  /** The service whose token occurs in this text, alone or among other text; undefined if no known pattern matches. */
  serviceOfToken(text: string): Service | undefined
}

/** How a definition launches its server. */
export type Launch = Pick<ServerDefinition, 'command' | 'args' | 'url'>

export interface FoundService {
  readonly service: Service
  readonly badge: 'Catalog' | 'Official' | 'Smithery'
  readonly verified: boolean
  readonly uses?: number
  /** How credentials are given, as far as the registry says. */
  readonly auth: 'none' | 'api_key' | 'oauth'
}

export interface RegistryPage {
  readonly found: readonly FoundService[]
  readonly next?: string
  /** Warnings for people: a registry that did not answer, or an answer from the cache and its age. */
  readonly notices: readonly string[]
}

/** Public registries of servers. Their answers are untrusted; a cached one is used, and marked, if a registry fails. */
export interface Registries {
  search(
    query: string,
    options: { readonly source?: 'official' | 'smithery'; readonly next?: string },
    signal: AbortSignal,
  ): Promise<RegistryPage>
  refresh(): Promise<void>
}

export type PackageLaunch = Extract<ServiceLaunch, { kind: 'npm' | 'pypi' | 'image' }>

export interface InstalledPackage {
  /** Holds the package, all that it needs and the lockfile; read-only to everyone but the installer. */
  readonly folder: string
  /** The program to run with Node or Python: an absolute path, or `cordon:PACKAGE` for one that comes with Cordon. */
  readonly entry: string
  readonly package: string
  readonly version: string
  readonly integrity: string
  readonly publisher?: string
  /** ISO time of this version. */
  readonly publishedAt?: string
  /** The registry announces a provenance statement; absent if the registry was not asked. */
  readonly hasProvenance?: boolean
  /**
   * The registry's signature over the archive: verified with a key that came with Cordon, or with one that only the
   * registry vouches for; none, or by an unknown key. Absent: not looked at.
   */
  readonly signature?: 'npm' | 'registry' | 'none' | 'unknown'
  /** Verified: the repository and the workflow that built it. */
  readonly provenance?: { readonly repository: string; readonly workflow?: string }
  /** Why an announced provenance statement proves nothing. */
  readonly unproven?: string
  /** npm's `deprecated`: a warning in the publisher's words. Untrusted. */
  readonly deprecated?: string
  /** The name in the official registry that the package claims for itself. */
  readonly mcpName?: string
  /** Variables that its README has people set. Untrusted. */
  readonly namedSettings?: readonly string[]
  readonly bytes: number
  readonly packages: number
  /** Packages whose install scripts were not run. */
  readonly refusedScripts: readonly string[]
  /** Those of them that bring a prebuilt part for this machine along, and so need no script. */
  readonly prebuilt?: readonly string[]
  /** Packages whose install scripts were run, on the owner's word. */
  readonly ranScripts?: readonly string[]
  /** The hash of the list of all its files; absent for one that comes with Cordon. */
  readonly manifest?: string
}

/** The version that a definition's line (`npx -y x`) was resolved to. */
export type PinnedPackage = Pick<InstalledPackage, 'package' | 'version' | 'integrity' | 'entry'>

/** Definitions that hold such a line instead of an installed program. */
export interface PackageLines {
  /** Undefined: the file of this server names no package by a line. */
  find(server: ServerId): Promise<PackageLine | undefined>
  /** Pins the line with these arguments; it need not be written yet. */
  pin(server: ServerId, args: readonly string[], pinned: PinnedPackage): Promise<void>
}

export interface PackageLine {
  readonly args: readonly string[]
  readonly pinned?: PinnedPackage
  readonly launch: PackageLaunch
  /** The arguments for another version: the same ones unless the line names its version. */
  argsFor(version: string): readonly string[]
  /** The definition as it starts that version. */
  startsAs(pinned: PinnedPackage): ServerDefinition
}

/** The step that has begun, and how much of it is done: `12 of 30 packages, 4.2 MB`. */
export type InstallProgress = (step: string, done?: string) => void

/** Verified packages, each in its own folder. A partial install is never left behind, and never used. */
export interface Packages {
  /** Takes the installed folder if it is unchanged; otherwise installs from the registry or index, in a sandbox. */
  install(
    slug: string,
    launch: Extract<ServiceLaunch, { kind: 'npm' | 'pypi' | 'image' | 'http' }>,
    progress: InstallProgress,
    signal: AbortSignal,
  ): Promise<InstalledPackage>
  /** Throws if the folder differs from what was installed. Cheap enough to run before every start. */
  check(folder: string): Promise<void>
}
