/**
 * Search in the public registries, both at once. Both share one deadline; a registry that fails becomes a notice, and
 * the other's answer is still shown. Registry entries are untrusted: a known service that fits as well comes first.
 */
import type { FoundService, Registries } from '../ports/catalog-port.ts'
import type { Files, Log } from '../kernel/ports.ts'
import { secretInText } from './catalog-errors.ts'
import { KNOWN_SERVICES } from './known-services.ts'
import { createNameIndex, type NameIndex } from './name-index.ts'
import { createAnswerCache } from './registry/answer-cache.ts'
import { createAsk } from './registry/ask-registry.ts'
import { authTypeOf } from './registry/auth-type-of.ts'
import { mergeFound } from './registry/merge-found.ts'
import { createOfficialSource } from './registry/official-source.ts'
import { RegistryProblem, showAge } from './registry/registry-problem.ts'
import { parseCursor, showCursor } from './registry/search-cursor.ts'
import { createSmitherySource } from './registry/smithery-source.ts'
import type { SearchQuery, Source, SourcePage } from './registry/source.ts'
import { createServiceRanking, type ServiceRanking } from './search/service-ranking.ts'
import { searchForms } from './search/search-terms.ts'
import { createTokenOwner } from './token-owner.ts'

export interface RegistriesOptions {
  /** A guarded fetch that may reach only the two registries. */
  readonly fetch: typeof globalThis.fetch
  readonly files: Files
  readonly cacheFolder: string
  readonly smitheryKey: () => Promise<string | undefined>
  readonly now: () => number
  readonly log: Log
  readonly baseUrls?: { readonly official: string; readonly smithery: string }
  readonly deadlineMs?: number
}

/** The base URLs of the registries. Their hosts are the allow-list of the guarded fetch. */
export const REGISTRY_URLS: { readonly official: string; readonly smithery: string } = {
  official: 'https://registry.modelcontextprotocol.io',
  smithery: 'https://api.smithery.ai',
}

const DEADLINE_MS = 8000
const MAX_QUERY = 200
const WANTS_KEY =
  'Smithery wants a key: store one with `cordon vault set smithery_api_key`, then search again.'

export function createRegistries(options: RegistriesOptions): Registries {
  const { files, cacheFolder, log, baseUrls = REGISTRY_URLS, deadlineMs = DEADLINE_MS } = options
  const cache = createAnswerCache(cacheFolder, files, log)
  const ask = createAsk({ ...options, cache })
  const names = createNameIndex(KNOWN_SERVICES)
  const ownerOf = createTokenOwner(KNOWN_SERVICES)
  const sources = [
    createOfficialSource(ask, baseUrls.official),
    createSmitherySource(ask, baseUrls.smithery, options.smitheryKey),
  ]
  return {
    async search(query, { source: only, next }, signal) {
      if (ownerOf(query)) throw secretInText('a search')
      const text = query.trim().slice(0, MAX_QUERY)
      const rank = createServiceRanking(text, KNOWN_SERVICES)
      const wanted: SearchQuery = { text, rank, forms: searchForms(text) }
      const cursor = next === undefined ? undefined : parseCursor(next)
      const asked = sources.filter(
        ({ id }) => (only ?? id) === id && (cursor === undefined || cursor[id] !== undefined),
      )
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)])
      const answers = await Promise.all(
        asked.map((source) =>
          askSource(source, source.search(wanted, cursor?.[source.id], deadline), log),
        ),
      )
      signal.throwIfAborted()
      const known = cursor === undefined && only === undefined ? knownMatches(rank) : []
      const strangers = answers.flatMap(({ page }) => page.found)
      const more = showCursor(Object.fromEntries(answers.flatMap(nextOf)))
      return {
        found: mergeFound(
          [...known, ...strangers.map((found) => warnOfLookAlike(names, found))],
          rank,
        ),
        notices: answers.flatMap(({ notices }) => notices),
        ...(more === undefined ? {} : { next: more }),
      }
    },
    refresh: () => cache.clear(),
  }
}

const UNREADABLE = new RegistryProblem('gave an answer that Cordon cannot read')

async function askSource(
  source: Source,
  search: Promise<SourcePage>,
  log: Log,
): Promise<SourceAnswer> {
  try {
    const page = await search
    return { source, page, notices: noticesOf(source, page) }
  } catch (error) {
    // A failure of one registry, or of a single entry, must not take away the answer of the other.
    log.warn('A registry gave no answer', { registry: source.id, error })
    const problem = error instanceof RegistryProblem ? error : UNREADABLE
    return { source, page: { found: [], unusable: 0 }, notices: [problemNotice(source, problem)] }
  }
}

/** Warns, before it is connected, of an unknown package whose name resembles that of a known one. */
function warnOfLookAlike(names: NameIndex, found: FoundService): FoundService {
  const { launch, title, notes } = found.service
  const known = names.imitates('package' in launch ? launch.package : title)
  if (!known) return found
  const warning = `Its name is close to that of ${known.title}, which Cordon knows; this is not it.`
  return { ...found, service: { ...found.service, notes: [warning, ...notes] } }
}

interface SourceAnswer {
  readonly source: Source
  readonly page: SourcePage
  readonly notices: readonly string[]
}

function nextOf({ source, page }: SourceAnswer): readonly (readonly [string, string])[] {
  return page.next === undefined ? [] : [[source.id, page.next]]
}

function noticesOf({ title }: Source, page: SourcePage): readonly string[] {
  const { stale, unusable, isCut } = page
  return [
    ...(stale
      ? [`${title} ${stale.problem}; this is what it said ${showAge(stale.ageMs)} ago.`]
      : []),
    ...(unusable > 0 ? [`${title} also has ${unusable} that cannot be used.`] : []),
    ...(isCut ? [`${title} has more for this; another word narrows it down.`] : []),
  ]
}

function problemNotice({ id, title }: Source, { message, wantsKey }: RegistryProblem): string {
  return id === 'smithery' && wantsKey ? WANTS_KEY : `${title} ${message}.`
}

const MOST_KNOWN = 10
/** A known service that fits much worse than the best one is not what was meant. */
const WORTH_SHOWING = 0.75

function knownMatches(rank: ServiceRanking): readonly FoundService[] {
  const scored = KNOWN_SERVICES.map((service) => ({ service, score: rank(service) }))
  const best = Math.max(...scored.map(({ score }) => score))
  return scored
    .filter(({ score }) => score > 0 && score >= best * WORTH_SHOWING)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST_KNOWN)
    .map(({ service }) => ({
      service,
      badge: 'Catalog',
      verified: true,
      auth: authTypeOf(service),
    }))
}
