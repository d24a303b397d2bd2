/**
 * How well a service fits a search, by the words of its name and of what is said about it. A known service is described
 * in Cordon's own words, so these count nearly like its name; a stranger's description is theirs to fill with anything.
 * So a stranger comes before a known service only where it fits more of the words. Pure.
 */
import type { Service } from '../../ports/service-facts.ts'
import { editDistance } from '../../text/edit-distance.ts'
import { foldName } from '../../text/look-alike.ts'
import { type SearchTerm, searchTerms, wordsOf } from './search-terms.ts'
import { topicsOf } from './topics.ts'

/** How much a word counts by where it is found; a synonym counts `SYNONYM` of it. */
interface Strengths {
  readonly name: number
  readonly partOfName: number
  readonly text: number
  readonly topic: number
}

const KNOWN: Strengths = { name: 1, partOfName: 0.95, text: 0.9, topic: 0.85 }
/** The first topics of a service are what it is for. */
const FIRST_TOPICS = 3
const FIRST_TOPIC = 0.93
const STRANGER: Strengths = { name: 0.8, partOfName: 0.7, text: 0.5, topic: 0 }
const SYNONYM = 0.75
const MISTYPED = 0.7
/** The search holds the whole name of a known service: `send slack message`. */
const NAMED = 0.6
/** Names that are everyday words as well: `excel files` does not mean the service. */
const ORDINARY = new Set(
  'file browser chrome fetch memory everything thinking linear brave'.split(' '),
)
/** All words of the search in a row, or the very name that was typed. */
const PHRASE = 0.1
const SAME_NAME = 2
/** Decides between equals only: the name has no other words. */
const DENSE = 0.08
const SHORTEST_PART = 3
const SHORTEST_MISTYPED = 5
const MAX_TEXT = 300

export type ServiceRanking = (service: Service) => number

/** Zero for a service that fits none of the words. `known`: a word that fits many of these says less. */
export function createServiceRanking(query: string, known: readonly Service[]): ServiceRanking {
  const terms = withRarity(searchTerms(query), known)
  const typed = foldName(query)
  const phrase = terms.map(({ word }) => word).join(' ')
  const whole = terms.reduce((sum, { weight }) => sum + weight, 0)
  return (service) => {
    const facts = factsOf(service)
    const found = terms.map((term) => ({ term, strength: strengthOf(term, facts) }))
    const sum = found.reduce((total, { term, strength }) => total + term.weight * strength, 0)
    if (sum === 0) return 0
    const isPhrase = terms.length > 1 && facts.text.includes(phrase)
    const words = new Set(terms.map(({ word }) => word))
    const own = [...facts.names].filter((name) => words.has(name)).length
    return (
      sum / whole +
      (isNamed(
        facts,
        words,
        found.every(({ strength }) => strength > 0),
      )
        ? NAMED
        : 0) +
      (isPhrase ? PHRASE : 0) +
      (facts.isTyped(typed) ? SAME_NAME : 0) +
      (DENSE * own) / Math.max(1, facts.names.size)
    )
  }
}

function withRarity(
  terms: readonly SearchTerm[],
  known: readonly Service[],
): readonly SearchTerm[] {
  const all = known.map(factsOf)
  return terms.map((term) => {
    const count = all.filter((facts) => strengthOfWord(term.word, facts) > 0).length
    return { ...term, weight: term.weight / (1 + Math.log10(1 + count)) }
  })
}

interface ServiceWords {
  readonly isKnown: boolean
  /** The words of each name that people know it by; empty for a stranger. */
  readonly calledBy: readonly (readonly string[])[]
  readonly names: ReadonlySet<string>
  readonly texts: ReadonlySet<string>
  readonly topics: readonly string[]
  readonly text: string
  isTyped(folded: string): boolean
}

/** Parts of a registry name that say nothing about the server. */
const NAMESPACE = new Set('io github com ai dev net org app co www smithery'.split(' '))
const EVERYWHERE = new Set(['mcp', 'server'])

function factsOf(service: Service): ServiceWords {
  const { slug, title, aliases, about, origin } = service
  const isKnown = origin === 'catalog'
  const names = isKnown ? [slug, title, ...aliases.filter(isSpoken)] : strangerNames(service)
  const whole = (isKnown ? names : [sourceName(service)]).map(foldName)
  const words = wordsOf(about.slice(0, MAX_TEXT))
  return {
    isKnown,
    calledBy: isKnown ? names.map(wordsOf) : [],
    names: new Set(names.flatMap(wordsOf).filter((word) => !EVERYWHERE.has(word))),
    texts: new Set(words),
    topics: isKnown ? wordsOf(topicsOf(slug)) : [],
    text: ` ${wordsOf(title).join(' ')} ${words.join(' ')} `,
    isTyped: (typed) => typed !== '' && whole.includes(typed),
  }
}

/** An alias that is a domain or a package is found by its exact spelling elsewhere. */
function isSpoken(alias: string): boolean {
  return !/[@/.]/.test(alias)
}

/** `io.github.acme/weather`: of the publisher's part only what names the publisher. */
function strangerNames(service: Service): readonly string[] {
  const name = sourceName(service)
  const slash = name.lastIndexOf('/')
  const publisher = wordsOf(name.slice(0, Math.max(0, slash))).filter((one) => !NAMESPACE.has(one))
  const own = [name.slice(slash + 1), ...publisher]
  return service.title === name ? own : [service.title, ...own]
}

function sourceName({ source, slug }: Service): string {
  if (source.kind === 'official') return source.name
  return source.kind === 'smithery' ? source.qualifiedName : slug
}

function isNamed(
  { calledBy }: ServiceWords,
  words: ReadonlySet<string>,
  fitsAll: boolean,
): boolean {
  return calledBy.some(
    (name) =>
      name.length > 0 &&
      name.every((word) => words.has(word)) &&
      (fitsAll || !name.every((word) => ORDINARY.has(word))),
  )
}

function strengthOf({ word, synonyms }: SearchTerm, facts: ServiceWords): number {
  const own = strengthOfWord(word, facts)
  const others = synonyms.map((one) => SYNONYM * strengthOfWord(one, facts, true))
  const best = Math.max(own, ...others)
  return best > 0 || !facts.isKnown ? best : mistypedStrength(word, facts)
}

function strengthOfWord(word: string, facts: ServiceWords, isWhole = false): number {
  const { name, partOfName, text, topic } = facts.isKnown ? KNOWN : STRANGER
  if (facts.names.has(word)) return name
  if (!isWhole && isPartOfName(word, facts)) return partOfName
  const at = facts.topics.indexOf(word)
  if (at >= 0 && at < FIRST_TOPICS) return FIRST_TOPIC
  if (facts.texts.has(word)) return text
  return at < 0 ? 0 : topic
}

/** The beginning of a word: `todo` of Todoist, `home` of `homeassistant`. */
function isPartOfName(word: string, { names }: ServiceWords): boolean {
  return word.length >= SHORTEST_PART && [...names].some((name) => name.startsWith(word))
}

function mistypedStrength(word: string, { names }: ServiceWords): number {
  if (word.length < SHORTEST_MISTYPED) return 0
  const isNear = [...names].some((name) => editDistance(word, name, 1) <= 1)
  return isNear ? MISTYPED : 0
}
