/**
 * The official MCP registry: `GET /v0.1/servers`. Needs no key, and is sent none. It looks for one piece of text in the
 * names only, in the order of the alphabet, so it is asked once for each form of the search, and the answers are ranked
 * here.
 */
import type { FoundService } from '../../ports/catalog-port.ts'
import type { Answer, Ask } from './ask-registry.ts'
import { authTypeOf } from './auth-type-of.ts'
import { field, recordOf, recordsOf, textOf } from './loose.ts'
import { type ParsedEntry, parseServerEntry } from './server-entry.ts'
import { hasServers, PAGE_SIZE, type SearchQuery, type Source, type SourcePage } from './source.ts'

/** The most that the registry answers at once. */
const LIMIT = 100

interface FormAnswer extends Pick<SourcePage, 'isCut' | 'stale'> {
  readonly entries: readonly ParsedEntry[]
}

export function createOfficialSource(ask: Ask, baseUrl: string): Source {
  const askFor = async (form: string, signal: AbortSignal): Promise<FormAnswer> => {
    const url = new URL('/v0.1/servers', baseUrl)
    const query = { search: form, limit: String(LIMIT), version: 'latest' }
    url.search = new URLSearchParams(query).toString()
    return readAnswer(await ask({ url: url.href, isAnswer: hasServers }, signal))
  }
  return {
    id: 'official',
    title: 'The official registry',
    async search(query, cursor, signal) {
      const asked = query.forms.map((form) => askFor(form, signal))
      const settled = await Promise.allSettled(asked)
      const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      const [first] = answers
      if (!first) throw (settled[0] as PromiseRejectedResult).reason
      const from = Number(/^[1-9]\d{0,3}$/.exec(cursor ?? '')?.[0] ?? 0)
      const best = rankEntries(query, answers)
      const until = from + PAGE_SIZE
      const isLast = until >= best.length
      const stale = answers.find((answer) => answer.stale)?.stale
      return {
        found: best.slice(from, until),
        unusable: first.entries.filter(({ kind }) => kind === 'unusable').length,
        ...(isLast ? {} : { next: String(until) }),
        ...(stale && { stale }),
        ...(isLast && first.isCut && { isCut: true }),
      }
    },
  }
}

function readAnswer({ value, stale }: Answer): FormAnswer {
  const { servers, metadata } = recordOf(value)
  const entries = recordsOf(servers).map((entry) => parseServerEntry(entry, 'official'))
  const isCut = textOf(field(recordOf(metadata), 'nextCursor')) !== undefined
  return { entries, isCut, ...(stale && { stale }) }
}

/** Each name once, best first. An answer to the whole text counts whatever its words are. */
function rankEntries(
  { rank }: SearchQuery,
  answers: readonly FormAnswer[],
): readonly FoundService[] {
  const found = new Map<string, { readonly one: FoundService; readonly score: number }>()
  answers.forEach(({ entries }, at) => {
    for (const entry of entries) {
      if (entry.kind !== 'service') continue
      const one = asFound(entry.service)
      const score = rank(one.service)
      if (!found.has(nameOf(one)) && (score > 0 || at === 0)) found.set(nameOf(one), { one, score })
    }
  })
  const ranked = [...found.values()].toSorted((a, b) => b.score - a.score)
  return ranked.map(({ one }) => one)
}

function nameOf({ service }: FoundService): string {
  return service.source.kind === 'official' ? service.source.name : service.slug
}

/** The registry verifies the publisher's domain in a name; an `io.github.` name only proves a GitHub account. */
function asFound(service: FoundService['service']): FoundService {
  const name = service.source.kind === 'official' ? service.source.name : ''
  const verified = name.includes('/') && !/^io\.github\./i.test(name)
  return { service, badge: 'Official', verified, auth: authTypeOf(service) }
}
