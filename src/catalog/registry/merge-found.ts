/**
 * Merges several lists. The same package or address is shown once, from its most trusted source; the same name twice in
 * one source is one server, but in two sources it may be two. The best fit first; of equal ones a known service, then a
 * verified one, then the most used.
 */
import type { FoundService } from '../../ports/catalog-port.ts'
import type { ServiceRanking } from '../search/service-ranking.ts'

const TRUST: readonly FoundService['badge'][] = ['Catalog', 'Official', 'Smithery']

export function mergeFound(
  all: readonly FoundService[],
  rank: ServiceRanking,
): readonly FoundService[] {
  const seen = new Set<string>()
  const unique = all
    .toSorted((a, b) => TRUST.indexOf(a.badge) - TRUST.indexOf(b.badge))
    .filter((found) => {
      const marks = marksOf(found)
      const isNew = marks.every((mark) => !seen.has(mark))
      for (const mark of marks) seen.add(mark)
      // Two known services may share a package, and are both shown.
      return isNew || found.badge === 'Catalog'
    })
  const scores = new Map(unique.map((found) => [found, rank(found.service)]))
  return unique.toSorted(
    (a, b) =>
      (scores.get(b) ?? 0) - (scores.get(a) ?? 0) ||
      Number(b.badge === 'Catalog') - Number(a.badge === 'Catalog') ||
      Number(b.verified) - Number(a.verified) ||
      (b.uses ?? 0) - (a.uses ?? 0),
  )
}

function marksOf({ service: { source, launch, slug }, badge }: FoundService): readonly string[] {
  const name =
    source.kind === 'official'
      ? source.name
      : source.kind === 'smithery'
        ? source.qualifiedName
        : slug
  const marks = [`${badge} ${name.toLowerCase().replace(/[_-]+/g, '-')}`]
  if (launch.kind === 'npm' || launch.kind === 'pypi' || launch.kind === 'image')
    marks.push(`${launch.kind} ${launch.package}`)
  if (launch.kind === 'remote') marks.push(`url ${launch.url}`)
  return marks
}
