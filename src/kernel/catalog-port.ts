/** What can be connected: known services, registries, and what people paste. Installs packages, and never runs one. */
import type { Service, ServiceLaunch } from './service-facts.ts'

/** Known services, and whatever else a name or a pasted line may mean. Pure: asks nobody. */
export interface Catalog {
  readonly services: readonly Service[]
  /** By slug, title or alias, after folding case, spaces and look-alike characters. */
  find(name: string): Service | undefined
  /** Known names close to one that is not known, best first, at most three. */
  suggest(name: string): readonly string[]
  /** Whether a name passes for a known one without being it: another alphabet, a swapped or doubled letter. */
  imitates(name: string): Service | undefined
  /** A `npx …`, `docker run …` or `uvx …` line, a URL, a package name, a domain, or a server.json. Throws with what is wrong. */
  parsePasted(text: string): Service | undefined
  /** The service whose token is in this text, alone or among other words; undefined where no known pattern fits. */
  serviceOfToken(text: string): Service | undefined
}

export interface FoundService {
  readonly service: Service
  readonly badge: 'Catalog' | 'Official' | 'Smithery'
  readonly verified: boolean
  readonly uses?: number
  /** How its credentials are given, as far as the registry says. */
  readonly auth: 'none' | 'api_key' | 'oauth'
}

export interface RegistryPage {
  readonly found: readonly FoundService[]
  /** Give it back to see more. */
  readonly next?: string
  /** What people should know: a registry that did not answer, an answer from the cache and how old it is. */
  readonly notices: readonly string[]
}

/** Public lists of servers. Nothing they say is trusted; an answer from the cache is better than none, and says so. */
export interface Registries {
  search(
    query: string,
    options: { readonly source?: 'official' | 'smithery'; readonly next?: string },
    signal: AbortSignal,
  ): Promise<RegistryPage>
  /** Forgets what was cached. */
  refresh(): Promise<void>
}

export interface InstalledPackage {
  /** Holds `node_modules` and the lockfile; read-only to everyone but the installer. */
  readonly folder: string
  /** The program to run with Node, absolute. */
  readonly entry: string
  readonly package: string
  readonly version: string
  readonly integrity: string
  readonly publisher?: string
  /** ISO time of this version. */
  readonly publishedAt?: string
  /** Whether the registry has a statement of where it was built, which nobody here verifies; absent where it was not asked. */
  readonly hasProvenance?: boolean
  readonly bytes: number
  readonly packages: number
  /** Packages whose install scripts were not run. */
  readonly refusedScripts: readonly string[]
}

export type InstallProgress = (step: string) => void

/** Verified packages, each in a folder of its own. Half an install is never left, and never used. */
export interface Packages {
  /** From the folder where it is there already and unchanged; else from the npm registry, in a sandbox. */
  install(
    slug: string,
    launch: Extract<ServiceLaunch, { kind: 'npm' | 'http' }>,
    progress: InstallProgress,
    signal: AbortSignal,
  ): Promise<InstalledPackage>
  /** Throws where what lies in the folder is not what was installed. Cheap enough for every start. */
  check(folder: string): Promise<void>
}
