/** Which versions a requirement accepts: `>=1.2,!=1.5.*`, as in PEP 440. Pure. */
import { groupsIn } from './groups-in.ts'
import { compareVersions, isPreRelease, parseVersion, publicPart, type Version } from './version.ts'

export interface Specifier {
  readonly operator: string
  readonly version: Version
  /** `==1.2.*` */
  readonly isPrefix: boolean
}

const CLAUSE = /^(?<operator>~=|===|==|!=|<=|>=|<|>)\s*(?<version>[^\s,]{1,128})$/

/** Undefined if it is none. Empty text accepts every version. */
export function parseSpecifiers(text: string): readonly Specifier[] | undefined {
  const clauses = text.split(',').map((clause) => clause.trim())
  const parsed = clauses.filter((clause) => clause !== '').map(parseClause)
  const good = parsed.filter((one) => one !== undefined)
  return good.length === parsed.length ? good : undefined
}

function parseClause(clause: string): Specifier | undefined {
  const get = groupsIn(CLAUSE, clause)
  if (!get) return undefined
  const [operator, written] = [get('operator'), get('version')]
  const isPrefix = written.endsWith('.*')
  const version = parseVersion(isPrefix ? written.slice(0, -2) : written)
  const isOdd =
    (isPrefix && !/^[=!]=$/.test(operator)) ||
    (operator === '~=' && (version?.release.length ?? 0) < 2)
  return version && !isOdd ? { operator, version, isPrefix } : undefined
}

export function accepts(specifiers: readonly Specifier[], version: Version): boolean {
  return specifiers.every((one) => acceptsOne(one, version))
}

/** Whether a pre-release is meant: the requirement itself names one. */
export function namesPreRelease(specifiers: readonly Specifier[]): boolean {
  return specifiers.some(({ operator, version }) => operator !== '!=' && isPreRelease(version))
}

/** Whether the requirement names one version and no other. */
export function isExact(specifiers: readonly Specifier[]): boolean {
  return specifiers.some(({ operator, isPrefix }) => /^={2,3}$/.test(operator) && !isPrefix)
}

function acceptsOne({ operator, version: wanted, isPrefix }: Specifier, version: Version): boolean {
  switch (operator) {
    case '===':
      return version.text === wanted.text
    case '==':
      return isPrefix ? startsWith(version, wanted) : isSame(version, wanted)
    case '!=':
      return !(isPrefix ? startsWith(version, wanted) : isSame(version, wanted))
    case '~=':
      return isCompatible(version, wanted)
    case '>=':
      return compareVersions(publicPart(version), wanted) >= 0
    case '<=':
      return compareVersions(publicPart(version), wanted) <= 0
    case '>':
      return isAbove(version, wanted)
    default:
      return isBelow(version, wanted)
  }
}

/** A local part (`+cpu`) counts only where it is asked for. */
function isSame(version: Version, wanted: Version): boolean {
  const compared = wanted.local.length === 0 ? publicPart(version) : version
  return compareVersions(compared, wanted) === 0
}

function startsWith(version: Version, { epoch, release }: Version): boolean {
  return (
    version.epoch === epoch && release.every((number, at) => (version.release[at] ?? 0) === number)
  )
}

function isCompatible(version: Version, wanted: Version): boolean {
  const series = { ...wanted, release: wanted.release.slice(0, -1) }
  return compareVersions(publicPart(version), wanted) >= 0 && startsWith(version, series)
}

/** `>1.0` accepts neither `1.0.post1` nor `1.0+local`. */
function isAbove(version: Version, wanted: Version): boolean {
  const isItsPost =
    version.post !== undefined && wanted.post === undefined && isSameRelease(version, wanted)
  return !isItsPost && compareVersions(publicPart(version), wanted) > 0
}

/** `<1.0` does not accept `1.0rc1`. */
function isBelow(version: Version, wanted: Version): boolean {
  const isItsPre = isPreRelease(version) && !isPreRelease(wanted) && isSameRelease(version, wanted)
  return !isItsPre && compareVersions(publicPart(version), wanted) < 0
}

function isSameRelease(a: Version, b: Version): boolean {
  const bare = ({ text, epoch, release }: Version): Version => ({ text, epoch, release, local: [] })
  return compareVersions(bare(a), bare(b)) === 0
}
