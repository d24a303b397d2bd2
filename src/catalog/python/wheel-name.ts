/** The name of a wheel file, `name-1.2-cp311-cp311-manylinux_2_17_x86_64.whl`, and whether this machine can use it. Pure. */
import { groupsIn } from './groups-in.ts'
import { isPythonName, normalName } from './normal-name.ts'
import { parseVersion, type Version } from './version.ts'

export interface WheelName {
  readonly file: string
  readonly name: string
  readonly version: Version
  /** Every `python-abi-platform` that it is made for. */
  readonly tags: readonly string[]
}

/** Python version and platform, which decide whether a wheel can be used. */
export interface PythonKind {
  /** `3.11`, of CPython. */
  readonly version: readonly [major: number, minor: number]
  /** `x86_64` */
  readonly machine: string
  /** Absent: another C library than glibc. */
  readonly glibc?: readonly [major: number, minor: number]
}

const FILE =
  /^(?<name>[A-Za-z0-9][\w.]*)-(?<version>[^-\s/]+)(?:-\d[^-\s/]*)?-(?<tag>[\w.]+-[\w.]+-[\w.]+)\.whl$/
const MOST_TAGS = 200

export function parseWheelName(file: string): WheelName | undefined {
  const get = groupsIn(FILE, file)
  const version = get && parseVersion(get('version').replaceAll('_', '-'))
  if (!version || !isPythonName(get('name'))) return undefined
  const tags = tagsOf(get('tag'))
  return { file, name: normalName(get('name')), version, tags }
}

/** `py2.py3-none-any` is two tags. */
function tagsOf(written: string): readonly string[] {
  const [pythons = [], abis = [], platforms = []] = written
    .split('-')
    .map((part) => part.split('.').slice(0, MOST_TAGS))
  if (pythons.length * abis.length * platforms.length > MOST_TAGS) return []
  return pythons.flatMap((python) =>
    abis.flatMap((abi) => platforms.map((platform) => `${python}-${abi}-${platform}`)),
  )
}

const LEGACY: ReadonlyMap<number, string> = new Map([
  [17, 'manylinux2014'],
  [12, 'manylinux2010'],
  [5, 'manylinux1'],
])
const OLDEST_GLIBC_MINOR = 5

/** The tags that this machine can use, best first, each with its rank. */
export function supportedTags(python: PythonKind): ReadonlyMap<string, number> {
  const [major, minor] = python.version
  const own = `cp${major}${minor}`
  const older = Array.from({ length: minor }, (_, back) => `${major}${minor - 1 - back}`)
  const platforms = platformsOf(python)
  const on = (pythonTag: string, abi: string): readonly string[] =>
    platforms.map((platform) => `${pythonTag}-${abi}-${platform}`)
  const generic = [`py${major}${minor}`, `py${major}`, ...older.map((one) => `py${one}`)]
  const all = [
    ...on(own, own),
    ...on(own, 'abi3'),
    ...on(own, 'none'),
    ...older.flatMap((one) => on(`cp${one}`, 'abi3')),
    ...generic.flatMap((one) => on(one, 'none')),
    `${own}-none-any`,
    ...generic.map((one) => `${one}-none-any`),
  ]
  return new Map(all.map((tag, rank) => [tag, rank] as const).reverse())
}

function platformsOf({ machine, glibc }: PythonKind): readonly string[] {
  const plain = `linux_${machine}`
  if (glibc?.[0] !== 2) return [plain]
  const minors = Array.from(
    { length: Math.max(0, glibc[1] - OLDEST_GLIBC_MINOR + 1) },
    (_, back) => glibc[1] - back,
  )
  const many = minors.flatMap((minor) => {
    const legacy = LEGACY.get(minor)
    return [`manylinux_2_${minor}_${machine}`, ...(legacy ? [`${legacy}_${machine}`] : [])]
  })
  return [...many, plain]
}

/** The rank of the best tag; undefined if this machine can use none. */
export function rankOf(
  { tags }: WheelName,
  supported: ReadonlyMap<string, number>,
): number | undefined {
  const ranks = tags.flatMap((tag) => supported.get(tag) ?? [])
  return ranks.length === 0 ? undefined : Math.min(...ranks)
}
