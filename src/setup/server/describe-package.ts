/**
 * The facts that a person is shown about a package before its first run, one per line: as the registry states them, and
 * those that speak against it: its publisher's own warning, a provenance statement that proves nothing, its youth, and
 * another name than the registry entry's.
 */
import type { InstalledPackage } from '../../ports/catalog-port.ts'
import type { Service } from '../../ports/service-facts.ts'

const DAY_MS = 24 * 60 * 60_000
const YOUNG_DAYS = 3

export function describePackage(
  installed: InstalledPackage,
  source: Service['source'],
  now: number,
): string {
  const { package: name, version, publisher, publishedAt, bytes, packages } = installed
  if (installed.entry.startsWith('cordon:')) return `It comes with Cordon: ${name} ${version}.`
  if (version.startsWith('sha256:')) return describeImage(installed, source, now)
  const by = publisher === undefined ? 'by an unknown publisher' : `by ${publisher}`
  const age = publishedAt === undefined ? '' : `, published ${ageOf(publishedAt, now)}`
  const size = `${(bytes / 2 ** 20).toFixed(1)} MB in ${packages} ${packages === 1 ? 'package' : 'packages'}`
  return [
    `Installed ${name} ${version} ${by}${age}: ${size}.`,
    `${scriptsOf(installed)}${signatureOf(installed)}${provenanceOf(installed)}`,
    ...unprovenOf(installed),
    ...youthOf(installed, now),
    ...warningOf(installed),
    ...mismatchOf(installed, source, 'package'),
  ].join('\n')
}

/** Without a publisher: registries of images name none. */
function describeImage(
  installed: InstalledPackage,
  source: Service['source'],
  now: number,
): string {
  const { package: name, version, publishedAt, bytes, packages } = installed
  const age = publishedAt === undefined ? '' : `, built ${ageOf(publishedAt, now)}`
  const layers = `${packages} ${packages === 1 ? 'layer' : 'layers'}`
  return [
    `Installed the image ${name}${age}: ${(bytes / 2 ** 20).toFixed(1)} MB in ${layers}.`,
    `It is pinned as ${version}; nothing of it has run yet.`,
    ...mismatchOf(installed, source, 'image'),
  ].join('\n')
}

function warningOf({ deprecated }: InstalledPackage): readonly string[] {
  if (deprecated === undefined) return []
  return [`⚠️ Its publisher says not to use this version: ${JSON.stringify(deprecated)}.`]
}

/** The official registry takes an entry only if the package names it, so another name means another package by now. */
function mismatchOf(
  { mcpName }: InstalledPackage,
  source: Service['source'],
  what: 'package' | 'image',
): readonly string[] {
  if (source.kind !== 'official' || mcpName === source.name) return []
  const own = mcpName === undefined ? 'no entry' : JSON.stringify(mcpName)
  return [
    `⚠️ The registry entry is ${JSON.stringify(source.name)}, but the ${what} names ${own}: look at who published it.`,
  ]
}

function ageOf(publishedAt: string, now: number): string {
  const days = Math.floor((now - Date.parse(publishedAt)) / DAY_MS)
  if (Number.isNaN(days)) return 'at an unknown time'
  if (days < 1) return 'less than a day ago'
  if (days < 60) return `${days} ${days === 1 ? 'day' : 'days'} ago`
  return days < 730 ? `${Math.floor(days / 30)} months ago` : `${Math.floor(days / 365)} years ago`
}

function scriptsOf({ refusedScripts, prebuilt = [], ranScripts = [] }: InstalledPackage): string {
  if (ranScripts.length > 0)
    return `Its install scripts were run, without network: ${some(ranScripts)}.`
  if (refusedScripts.length === 0) return 'It has no install scripts.'
  const wanted = refusedScripts.filter((name) => !prebuilt.includes(name))
  const built = `Install scripts were refused: ${some(refusedScripts)}.`
  if (wanted.length === 0)
    return `${built} They are not needed: a prebuilt part for this machine came along.`
  return `${built} If it lacks a part of ${some(wanted)}, \`--allow-scripts\` runs them in a sandbox without network.`
}

function some(names: readonly string[]): string {
  const rest = names.length > 3 ? ` and ${names.length - 3} more` : ''
  return `${names.slice(0, 3).join(', ')}${rest}`
}

function provenanceOf({ hasProvenance, provenance, unproven }: InstalledPackage): string {
  if (hasProvenance === undefined) return ''
  if (provenance) {
    const { repository, workflow } = provenance
    const by = workflow === undefined ? '' : ` by ${workflow}`
    return ` It was built from ${repository}${by}, as its provenance statement proves.`
  }
  if (unproven !== undefined) return ''
  return hasProvenance
    ? ' The registry has a provenance statement for it, which was not verified.'
    : ' It has no provenance statement.'
}

const SIGNATURES = {
  npm: ' Its archive is signed by the npm registry.',
  registry: ' Its archive is signed, with a key that only your registry vouches for.',
  none: ' Its archive is not signed.',
  unknown: ' Its archive is signed with a key that nobody knows.',
} as const

function signatureOf({ signature }: InstalledPackage): string {
  return signature === undefined ? '' : SIGNATURES[signature]
}

function unprovenOf({ unproven }: InstalledPackage): readonly string[] {
  if (unproven === undefined) return []
  return [`⚠️ It is not proven where it was built: ${unproven}.`]
}

function youthOf({ publishedAt }: InstalledPackage, now: number): readonly string[] {
  const days = publishedAt === undefined ? YOUNG_DAYS : (now - Date.parse(publishedAt)) / DAY_MS
  if (!(days < YOUNG_DAYS)) return []
  return [
    `⚠️ It was published less than ${YOUNG_DAYS} days ago: bad releases are mostly found within days.`,
  ]
}
