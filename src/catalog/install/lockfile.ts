/** Parses npm's lockfile. Every package in it has a SHA-512, or is bundled in the archive of one that has. Pure. */
import { z } from 'zod'
import { sha512Of } from './package-facts.ts'
import { Unfit } from './unfit.ts'

export interface Lockfile {
  readonly text: string
  /** The path of each package: `node_modules/a/node_modules/b`. */
  readonly places: readonly string[]
  /** The hash of each package's archive, by path. */
  readonly integrity: ReadonlyMap<string, string>
  /** Paths of packages that lie in the archive of another one; they may have a hash of their own too. */
  readonly bundled: ReadonlySet<string>
  /** Packages with an install script, which did not run. */
  readonly scripted: readonly string[]
  /** Packages with an install script and an optional dependency that holds the built part for this machine. */
  readonly prebuilt: readonly string[]
  /** The number of archives to fetch. Bundled packages and packages for other platforms have none. */
  readonly toFetch: number
}

const names = z.array(z.string()).optional().catch(undefined)
const Locked = z.object({
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  inBundle: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  os: names,
  cpu: names,
  optionalDependencies: z.record(z.string(), z.unknown()).optional().catch(undefined),
})
const Lock = z.object({ lockfileVersion: z.literal(3), packages: z.record(z.string(), Locked) })

/** Throws `Unfit` if a package has no hash, and another error if the text is not a lockfile. */
export function parseLockfile(text: string): Lockfile {
  const { packages } = Lock.parse(JSON.parse(text))
  const integrity = new Map<string, string>()
  const scripted: string[] = []
  const entries = Object.entries(packages).filter(([place]) => place !== '')
  for (const [place, locked] of entries) {
    const hash = sha512Of(locked.integrity)
    if (hash !== undefined) integrity.set(place, hash)
    if (locked.hasInstallScript) scripted.push(nameAt(place))
  }
  for (const [place, locked] of entries) {
    if (locked.link) throw new Unfit(`${JSON.stringify(nameAt(place))} is a link`)
    const isCovered = integrity.has(place) || (locked.inBundle === true && hasOwner(place))
    if (!isCovered) throw new Unfit(`${JSON.stringify(nameAt(place))} comes without a SHA-512`)
  }
  const toFetch = entries.filter(([, locked]) => locked.inBundle !== true && isForHere(locked))
  return {
    text,
    places: entries.map(([place]) => place),
    integrity,
    bundled: new Set(entries.filter(([, { inBundle }]) => inBundle).map(([place]) => place)),
    scripted: distinct(scripted),
    prebuilt: distinct(scripted.filter((name) => hasPrebuilt(entries, name))),
    toFetch: toFetch.length,
  }

  function hasOwner(place: string): boolean {
    const outer = place.slice(0, place.lastIndexOf('/node_modules/'))
    return (
      outer !== place &&
      outer.includes('node_modules/') &&
      (integrity.has(outer) || hasOwner(outer))
    )
  }
}

type LockEntry = readonly [place: string, locked: z.infer<typeof Locked>]

/** An optional dependency that is for this machine and not for others: esbuild, sharp and many more ship their parts so. */
function hasPrebuilt(entries: readonly LockEntry[], name: string): boolean {
  const parts = entries
    .filter(([place]) => nameAt(place) === name)
    .flatMap(([, { optionalDependencies = {} }]) => Object.keys(optionalDependencies))
  return entries.some(
    ([place, locked]) =>
      parts.includes(nameAt(place)) && locked.os !== undefined && isForHere(locked),
  )
}

function isForHere({ os, cpu }: z.infer<typeof Locked>): boolean {
  const fits = (listed: readonly string[] | undefined, own: string): boolean =>
    listed === undefined || listed.includes(own) || listed.some((one) => isOther(one, own))
  return fits(os, process.platform) && fits(cpu, process.arch)
}

/** `!win32`: every other one. */
function isOther(listed: string, own: string): boolean {
  return listed.startsWith('!') && listed !== `!${own}`
}

/** The package's name: `@b/c` for `node_modules/a/node_modules/@b/c`. */
export function nameAt(place: string): string {
  const mark = 'node_modules/'
  return place.slice(place.lastIndexOf(mark) + mark.length)
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort()
}
