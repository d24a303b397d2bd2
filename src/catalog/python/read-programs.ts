/** The programs of an unpacked or installed Python package, and its own words about itself. Untrusted. */
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { parseNamedSettings } from '../install/named-settings.ts'
import { Unfit } from '../install/unfit.ts'
import { chooseProgram, type EntryPoint, isModuleName, parsePrograms } from './entry-points.ts'
import { parseMetadata } from './metadata.ts'
import { normalName } from './normal-name.ts'
import { MODULES, startFileName, STARTS } from './spell-start.ts'
import type { PythonLaunch } from './wanted-python.ts'

export interface Programs {
  readonly all: ReadonlyMap<string, EntryPoint>
  /** The name of the one that the launch means. */
  readonly chosen: string
}

const LARGEST_TEXT = 4 * 2 ** 20

/** `folder` holds the modules in a folder of their own. Throws `Unfit` if there is no such program. */
export async function readPrograms(
  folder: string,
  name: string,
  { bin, module }: Pick<PythonLaunch, 'bin' | 'module'>,
): Promise<Programs> {
  const site = path.join(folder, MODULES)
  const written = await readSmall(path.join(await infoOf(site, name), 'entry_points.txt'))
  const all = new Map(parsePrograms(written))
  if (module !== undefined) {
    if (!isModuleName(module)) throw new Unfit('the module to start has no proper name')
    all.set(module, { module })
  }
  const entry = module === undefined ? chooseProgram(all, name, bin) : { module }
  const chosen = [...all].find(([, one]) => one.module === entry.module && one.call === entry.call)
  if (!chosen || startFileName(chosen[0]) === undefined)
    throw new Unfit('its program has an odd name')
  if (!(await hasModule(site, entry.module)))
    throw new Unfit('the module of its program is missing')
  return { all, chosen: chosen[0] }
}

/** The file that starts the program in an installed folder, absolute. */
export async function findStart(
  folder: string,
  name: string,
  launch: PythonLaunch,
): Promise<string> {
  const { chosen } = await readPrograms(folder, name, launch)
  const file = path.join(folder, STARTS, startFileName(chosen) ?? '')
  await stat(file).catch((cause: unknown) => {
    throw new Unfit('it was installed for another program', { cause })
  })
  return file
}

async function infoOf(site: string, name: string): Promise<string> {
  const found = (await readdir(site)).find((one) => {
    const [, itsName = ''] = /^(.+)-[^-]+\.dist-info$/.exec(one) ?? []
    return normalName(itsName) === name
  })
  if (found === undefined) throw new Unfit('its description is missing')
  return path.join(site, found)
}

async function hasModule(site: string, module: string): Promise<boolean> {
  const place = path.join(site, ...module.split('.'))
  const names = await readdir(path.dirname(place)).catch(() => [])
  const last = path.basename(place)
  return names.some(
    (one) =>
      one === last ||
      one === `${last}.py` ||
      (/^[^.]+(?:\..+)?\.so$/.test(one) && one.startsWith(`${last}.`)),
  )
}

async function readSmall(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile() || found.size > LARGEST_TEXT) return ''
  return await readFile(file, 'utf8')
}

async function readReadme(folder: string, name: string): Promise<string> {
  const info = await infoOf(path.join(folder, MODULES), name)
  return parseMetadata(await readSmall(path.join(info, 'METADATA'))).readme
}

const CLAIM = /\bmcp-name:\s*(?<name>[\w.@-]{1,100}(?:\/[\w.@-]{1,100})+)/

/** The name in the official registry that its README claims, as that registry asks of Python packages. */
export async function readPythonMcpName(folder: string, name: string): Promise<string | undefined> {
  return CLAIM.exec(await readReadme(folder, name))?.groups?.['name']
}

export async function readPythonSettings(folder: string, name: string): Promise<readonly string[]> {
  return parseNamedSettings(await readReadme(folder, name))
}
