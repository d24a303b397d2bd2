/**
 * Servers that come with Cordon: packages in its own node_modules, locked like every other dependency, and its own
 * SQLite server. A definition names one as `cordon:PACKAGE` instead of by its path, so it stays right when Cordon is
 * moved or updated. Only packages that the catalog marks are found; nothing is installed, and no registry is asked.
 */
import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { ServiceLaunch } from '../../ports/service-facts.ts'
import { findEntry } from '../install/find-entry.ts'
import { KNOWN_SERVICES } from '../known-services.ts'
import { shippedWord } from './shipped-word.ts'

/** The package of Cordon's own SQLite server, which is not in node_modules. */
const SQLITE = 'cordon-sqlite'
const SQLITE_FOLDER = fileURLToPath(new URL('sqlite', import.meta.url))
/** The package that the SQLite server imports. */
const SDK = '@modelcontextprotocol/server'
const MODULES = '/node_modules/'

const Described = z.object({ version: z.string() })

export interface ShippedProgram {
  readonly package: string
  readonly version: string
  readonly folder: string
  /** The program to run with Node, absolute. */
  readonly entry: string
  /** Folders outside of the package in which it finds its dependencies. */
  readonly readPaths: readonly string[]
}

type NpmLaunch = Extract<ServiceLaunch, { kind: 'npm' }>

/** Undefined if the word names no server that comes with Cordon, or if its package is missing. */
export async function findShipped(word: string): Promise<ShippedProgram | undefined> {
  const launch = shippedLaunches().find((one) => shippedWord(one.package) === word)
  const folder = launch && folderOf(launch.package)
  if (!launch || folder === undefined) return undefined
  const text = await readFile(path.join(folder, 'package.json'), 'utf8')
  return {
    package: launch.package,
    version: Described.parse(JSON.parse(text)).version,
    folder,
    entry: await findEntry(folder, launch.bin),
    readPaths: launch.package === SQLITE ? modulesOf(SDK) : [],
  }
}

function shippedLaunches(): readonly NpmLaunch[] {
  return KNOWN_SERVICES.flatMap(({ launch }) =>
    launch.kind === 'npm' && launch.isShipped ? [launch] : [],
  )
}

function folderOf(name: string): string | undefined {
  if (name === SQLITE) return SQLITE_FOLDER
  const found = findPackageJSON(name, import.meta.url)
  return found === undefined ? undefined : path.dirname(found)
}

/** The outermost `node_modules` around a package, as its dependencies may lie beside it. */
function modulesOf(name: string): readonly string[] {
  const folder = folderOf(name)
  const end = folder?.indexOf(MODULES) ?? -1
  return folder === undefined || end === -1 ? [] : [folder.slice(0, end + MODULES.length - 1)]
}
