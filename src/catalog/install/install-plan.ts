/** How a package of any kind becomes a folder. Making a plan changes nothing. */
import path from 'node:path'
import type { InstallProgress } from '../../ports/catalog-port.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import type { ServiceLaunch } from '../../ports/service-facts.ts'
import { findEntry, readMcpName } from './find-entry.ts'
import type { HttpPackage } from './http-package.ts'
import { installNpm } from './install-npm.ts'
import { readNamedSettings } from './named-settings.ts'
import type { PartFolder } from './part-folder.ts'
import type { StepParts } from './npm-task.ts'
import { type NpmLaunch, parseWanted } from './wanted-package.ts'
import { FACTS_FILE, readImageMcpName } from '../images/image-facts.ts'
import { installImage } from '../images/install-image.ts'
import { folderName, type ImageLaunch, parseWantedImage } from '../images/wanted-image.ts'
import { installPython } from '../python/install-python.ts'
import { findStart, readPythonMcpName, readPythonSettings } from '../python/read-programs.ts'
import { parseWantedPython, pythonFolder, type PythonLaunch } from '../python/wanted-python.ts'

export type Installable = Extract<ServiceLaunch, { kind: 'npm' | 'pypi' | 'image' | 'http' }>

export interface InstallPlan {
  /** For people: `name@version`. */
  readonly what: string
  /** The name of the folder. */
  readonly name: string
  /** The name of the package. */
  readonly package: string
  /** The pinned hash of the archive, if there is one. */
  readonly integrity?: string
  /** Another folder whose lock counts, if that folder is there: the same version without its install scripts. */
  readonly lockOf?: string
  /** Fills the tree of the part folder, receipt included. */
  build(part: PartFolder, progress: InstallProgress, signal: AbortSignal): Promise<void>
  /** The program in a finished folder, absolute. */
  findEntry(folder: string): Promise<string>
  /** The name in the official registry that the package in a finished folder claims. */
  readMcpName?(folder: string): Promise<string | undefined>
  readNamedSettings?(folder: string): Promise<readonly string[]>
}

export interface PlanParts {
  readonly npm: StepParts
  readonly http: HttpPackage
}

export function planInstall(parts: PlanParts, slug: string, launch: Installable): InstallPlan {
  if (launch.kind === 'pypi') return planPython(parts, slug, launch)
  if (launch.kind === 'image') return planImage(parts, slug, launch)
  return launch.kind === 'npm' ? planNpm(parts, slug, launch) : planHttp(parts, slug)
}

function planNpm({ npm }: PlanParts, slug: string, launch: NpmLaunch): InstallPlan {
  const wanted = parseWanted(slug, launch)
  const { bin } = launch
  const home = (folder: string): string => path.join(folder, 'node_modules', wanted.name)
  const plain = `${wanted.server}@${wanted.version}`
  return {
    ...wanted,
    // A folder of its own: the same version without its scripts may be in use.
    name: wanted.allowScripts ? `${plain}+scripts` : plain,
    ...(wanted.allowScripts && { lockOf: plain }),
    package: wanted.name,
    build: (part, progress, signal) => installNpm(npm, { wanted, bin, part, progress }, signal),
    findEntry: (folder) => findEntry(home(folder), bin),
    readMcpName: (folder) => readMcpName(home(folder)),
    readNamedSettings: (folder) => readNamedSettings(home(folder)),
  }
}

function planPython({ npm }: PlanParts, slug: string, launch: PythonLaunch): InstallPlan {
  const wanted = parseWantedPython(slug, launch)
  const { name, what, integrity } = wanted
  return {
    what,
    name: pythonFolder(wanted),
    package: name,
    ...(integrity !== undefined && { integrity }),
    build: (part, progress, signal) =>
      installPython(npm, { wanted, launch, part, progress }, signal),
    findEntry: (folder) => findStart(folder, name, launch),
    readMcpName: (folder) => readPythonMcpName(folder, name),
    readNamedSettings: (folder) => readPythonSettings(folder, name),
  }
}

/** `launch` names a digest by now. */
function planImage({ npm }: PlanParts, slug: string, launch: ImageLaunch): InstallPlan {
  const wanted = parseWantedImage(slug, launch)
  const { package: name, version } = launch
  return {
    what: wanted.what,
    name: folderName(name, version),
    package: name,
    integrity: version,
    build: (part, progress, signal) =>
      installImage(npm, { wanted, launch, part, progress }, signal),
    findEntry: async (folder) => path.join(folder, FACTS_FILE),
    readMcpName: async (folder) => readImageMcpName(folder),
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
