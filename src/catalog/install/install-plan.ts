/** How a package of any kind becomes a folder. Making a plan changes nothing. */
import path from 'node:path'
import type { InstallProgress } from '../../kernel/catalog-port.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import type { ServiceLaunch } from '../../kernel/service-facts.ts'
import { findEntry } from './find-entry.ts'
import type { HttpPackage } from './http-package.ts'
import { installNpm } from './install-npm.ts'
import type { PartFolder } from './part-folder.ts'
import type { RegistryParts } from './registry.ts'
import { type NpmLaunch, parseWanted } from './wanted-package.ts'

export type Installable = Extract<ServiceLaunch, { kind: 'npm' | 'http' }>

export interface InstallPlan {
  /** For people: `name@version`. */
  readonly what: string
  /** The name of the folder. */
  readonly name: string
  /** The name of the package. */
  readonly package: string
  /** The pinned hash of the archive, if there is one. */
  readonly integrity?: string
  /** Fills the tree of the part folder, receipt included. */
  build(part: PartFolder, progress: InstallProgress, signal: AbortSignal): Promise<void>
  /** The program in a finished folder, absolute. */
  findEntry(folder: string): Promise<string>
}

export interface PlanParts {
  readonly npm: RegistryParts
  readonly http: HttpPackage
}

export function planInstall(parts: PlanParts, slug: string, launch: Installable): InstallPlan {
  return launch.kind === 'npm' ? planNpm(parts, slug, launch) : planHttp(parts, slug)
}

function planNpm({ npm }: PlanParts, slug: string, launch: NpmLaunch): InstallPlan {
  const wanted = parseWanted(slug, launch)
  const { bin } = launch
  return {
    ...wanted,
    name: `${wanted.server}@${wanted.version}`,
    package: wanted.name,
    build: (part, progress, signal) => installNpm(npm, { wanted, bin, part, progress }, signal),
    findEntry: (folder) => findEntry(path.join(folder, 'node_modules', wanted.name), bin),
  }
}

function planHttp({ http }: PlanParts, slug: string): InstallPlan {
  const { version, integrity } = http
  return {
    what: `cordon-http@${version}`,
    name: `${parseServerId(slug)}@${version}`,
    package: http.name,
    integrity,
    build: (part) => http.install(part.tree),
    findEntry: async (folder) => path.join(folder, http.entry),
  }
}
