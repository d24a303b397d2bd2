/** The facts that a person is shown about a package before its first run: as the registry states them, in two lines. */
import type { InstalledPackage } from '../../kernel/catalog-port.ts'

const DAY_MS = 24 * 60 * 60_000

export function describePackage(installed: InstalledPackage, now: number): string {
  const { package: name, version, publisher, publishedAt, bytes, packages } = installed
  const by = publisher === undefined ? 'by an unknown publisher' : `by ${publisher}`
  const age = publishedAt === undefined ? '' : `, published ${ageOf(publishedAt, now)}`
  const size = `${(bytes / 2 ** 20).toFixed(1)} MB in ${packages} ${packages === 1 ? 'package' : 'packages'}`
  return `Installed ${name} ${version} ${by}${age}: ${size}.\n${scriptsOf(installed)}${provenanceOf(installed)}`
}

function ageOf(publishedAt: string, now: number): string {
  const days = Math.floor((now - Date.parse(publishedAt)) / DAY_MS)
  if (Number.isNaN(days)) return 'at an unknown time'
  if (days < 1) return 'less than a day ago'
  if (days < 60) return `${days} ${days === 1 ? 'day' : 'days'} ago`
  return days < 730 ? `${Math.floor(days / 30)} months ago` : `${Math.floor(days / 365)} years ago`
}

function scriptsOf({ refusedScripts }: InstalledPackage): string {
  if (refusedScripts.length === 0) return 'It has no install scripts.'
  const shown = refusedScripts.slice(0, 3).join(', ')
  const rest = refusedScripts.length > 3 ? ` and ${refusedScripts.length - 3} more` : ''
  return `Install scripts were refused: ${shown}${rest}.`
}

/** Says only whether a provenance statement exists: unverified, its content means nothing. */
function provenanceOf({ hasProvenance }: InstalledPackage): string {
  if (hasProvenance === undefined) return ''
  return hasProvenance
    ? ' The registry has a provenance statement for it, which was not verified.'
    : ' It has no provenance statement.'
}
