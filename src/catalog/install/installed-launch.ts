/** From the path of an installed program back to the launch that installed it, so that another version can be. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { PackageLaunch } from '../../ports/catalog-port.ts'
import { FACTS_FILE } from '../images/image-facts.ts'
import { readExtras } from '../python/spell-lock.ts'
import { STARTS } from '../python/spell-start.ts'
import { readPrograms } from '../python/read-programs.ts'
import { type Receipt, readReceipt } from './receipt.ts'

export interface InstalledLaunch {
  /** The name of the folder, without the version. */
  readonly slug: string
  readonly folder: string
  readonly launch: PackageLaunch
}

const FOLDER = /^(?<slug>[a-z0-9][\w-]*)@[\w.+!-]+$/

/** Undefined if the path leads to no program of an installed package below the root. */
export async function readInstalledLaunch(
  root: string,
  entry: string,
): Promise<InstalledLaunch | undefined> {
  const [name = '', ...inside] = path.relative(root, entry).split('/')
  const slug = FOLDER.exec(name)?.groups?.['slug']
  if (slug === undefined || inside.length === 0) return undefined
  const folder = path.join(root, name)
  const receipt = await readReceipt(folder).catch(() => undefined)
  if (!receipt) return undefined
  return { slug, folder, launch: await launchOf(folder, { entry, inside, receipt }) }
}

interface Installed {
  readonly entry: string
  /** The parts of its path inside the folder. */
  readonly inside: readonly string[]
  readonly receipt: Receipt
}

async function launchOf(
  folder: string,
  { entry, inside, receipt }: Installed,
): Promise<PackageLaunch> {
  const { package: identifier, version, integrity } = receipt
  const known = { package: identifier, version, integrity, args: [] }
  if (inside[0] === FACTS_FILE && inside.length === 1) return { kind: 'image', ...known }
  if (inside[0] === STARTS && integrity.startsWith('sha256-')) {
    const program = path.basename(entry, '.py')
    const extras = await readExtras(folder).catch(() => [])
    const chosen = extras.length > 0 ? { extras } : {}
    const start = await programOrModule(folder, identifier, program)
    return { kind: 'pypi', ...known, ...chosen, ...start }
  }
  return await npmLaunch(folder, entry, receipt)
}

async function npmLaunch(folder: string, entry: string, receipt: Receipt): Promise<PackageLaunch> {
  const { package: identifier, version, integrity } = receipt
  const bin = await binAt(path.join(folder, 'node_modules', identifier), entry)
  const scripts = receipt.ranScripts ? ({ allowScripts: true } as const) : {}
  return { kind: 'npm', package: identifier, version, integrity, args: [], ...scripts, ...bin }
}

/** A start file has the name of a program of the package, or of a module. */
async function programOrModule(
  folder: string,
  name: string,
  program: string,
): Promise<{ readonly bin: string } | { readonly module: string }> {
  const programs = await readPrograms(folder, name, { bin: program }).catch(() => undefined)
  return programs ? { bin: program } : { module: program }
}

const Bins = z.object({ bin: z.record(z.string(), z.string()) })

/** The name of the program; nothing if the package has one only. */
async function binAt(home: string, entry: string): Promise<{ readonly bin?: string }> {
  const text = await readFile(path.join(home, 'package.json'), 'utf8')
  const bins = Object.entries(Bins.safeParse(JSON.parse(text)).data?.bin ?? {})
  const bin = bins.find(([, file]) => path.join(home, file) === entry)?.[0]
  return bins.length < 2 || bin === undefined ? {} : { bin }
}
