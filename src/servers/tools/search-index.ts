/**
 * Finds tools by words, among ten thousand in a few milliseconds: an inverted index in memory, ranked by BM25 over the
 * tool's name, its server and its text, with common synonyms. It knows no server and trusts no text: a repeated word
 * counts once, and of a long text the beginning.
 */
import { nameTokens, singular } from '../../text/name-tokens.ts'
import { synonymsOf } from '../../text/synonyms.ts'

export interface IndexedTool {
  /** The server's slug and its name in front of people. */
  readonly server: string
  readonly name: string
  /** Text about the tool from trusted sources; may be empty. */
  readonly text: string
  /** Its server's own text, where nobody vouches for the server: ranks less, so that praise does not come first. */
  readonly claimed?: string
}

export interface SearchIndex {
  /** Positions in the list it was made from, best first; only such as `accepts` takes. */
  search(words: string, limit: number, accepts?: (position: number) => boolean): readonly number[]
}

/** How much a word counts by where it stands. */
const IN_NAME = 3
const IN_SERVER = 2.5
const IN_TEXT = 1
/** The first sentence says what a tool does; the others may say what it is not for. */
const IN_FIRST_SENTENCE = 1.6
/** Share of the above for the text of a server that nobody vouches for. */
const CLAIMED = 0.8
const SYNONYM = 0.7
/** A search that names no action wants to see something. */
const LOOKING = 0.6
const LOOKING_WORDS = ['list', 'search', 'get', 'query', 'find', 'read']

const MAX_TEXT = 400
const MAX_QUERY_WORDS = 24
/** The usual constants of BM25: how soon a repeated word stops counting, and how much a long text is held against it. */
const SATURATION = 1.2
const LENGTH = 0.6

interface Posting {
  readonly tool: number
  readonly weight: number
}

export function createSearchIndex(tools: readonly IndexedTool[]): SearchIndex {
  const postings = new Map<string, Posting[]>()
  const lengths = new Float64Array(tools.length)
  tools.forEach((tool, at) => {
    for (const [word, weight] of weightsOf(tool)) {
      lengths[at] = (lengths[at] ?? 0) + weight
      const list = postings.get(word)
      if (list) list.push({ tool: at, weight })
      else postings.set(word, [{ tool: at, weight }])
    }
  })
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, tools.length)
  const scoreOf = ({ tool, weight }: Posting): number => {
    const norm = 1 - LENGTH + (LENGTH * (lengths[tool] ?? 0)) / mean
    return (weight * (SATURATION + 1)) / (weight + SATURATION * norm)
  }
  return {
    search(words, limit, accepts = () => true) {
      const scores = new Float64Array(tools.length)
      const asked = wordsOf(words).slice(0, MAX_QUERY_WORDS)
      const ranking = { postings, scoreOf, count: tools.length }
      for (const word of asked) {
        addBest(scores, [word, ...synonymsOf(word).map(stem)], ranking)
      }
      const isLooking = asked.length > 0 && !asked.some((word) => ACTIONS.has(word))
      if (isLooking)
        addBest(scores, ['', ...LOOKING_WORDS], {
          ...ranking,
          share: LOOKING,
          found: scores.slice(),
        })
      return bestOf(scores, limit, accepts)
    },
  }
}

interface Ranking {
  readonly postings: ReadonlyMap<string, readonly Posting[]>
  readonly scoreOf: (posting: Posting) => number
  readonly count: number
  /** How much the word counts; 1 if absent. */
  readonly share?: number
  /** Only tools with a score here are scored. */
  readonly found?: Float64Array
}

/** A word or one of its synonyms, which follow it: what fits a tool best counts, once. */
function addBest(scores: Float64Array, spellings: readonly string[], ranking: Ranking): void {
  const best = new Map<number, number>()
  const { share: whole = 1 } = ranking
  spellings.forEach((word, at) => {
    const list = ranking.postings.get(word) ?? []
    const rarity = Math.log(1 + (ranking.count - list.length + 0.5) / (list.length + 0.5))
    const share = whole * (at === 0 ? rarity : rarity * SYNONYM)
    for (const posting of list) {
      const score = share * ranking.scoreOf(posting)
      if (score > (best.get(posting.tool) ?? 0)) best.set(posting.tool, score)
    }
  })
  for (const [tool, score] of best) {
    if (ranking.found?.[tool] !== 0) scores[tool] = (scores[tool] ?? 0) + score
  }
}

/** Of equals the earlier one. */
function bestOf(
  scores: Float64Array,
  limit: number,
  accepts: (position: number) => boolean,
): readonly number[] {
  const best: number[] = []
  scores.forEach((score, tool) => {
    const worst = best.length < limit ? 0 : (scores[best.at(-1) ?? 0] ?? 0)
    if (score <= worst || !accepts(tool)) return
    const place = best.findIndex((other) => (scores[other] ?? 0) < score)
    best.splice(place < 0 ? best.length : place, 0, tool)
    best.length = Math.min(best.length, limit)
  })
  return best
}

function weightsOf({ server, name, text, claimed = '' }: IndexedTool): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  const add = (words: readonly string[], weight: number): void => {
    for (const word of words) weights.set(word, (weights.get(word) ?? 0) + weight)
  }
  add(wordsOf(name), IN_NAME)
  // A server that is part of each of its tools' names counts once.
  add([...new Set(wordsOf(server))], IN_SERVER)
  addText(add, text, 1)
  addText(add, claimed, CLAIMED)
  return weights
}

/** Once is enough: who repeats a word wants to be found by it. */
function addText(
  add: (words: readonly string[], weight: number) => void,
  text: string,
  share: number,
): void {
  const first = new Set(wordsOf(firstSentence(text)))
  const rest = new Set(wordsOf(text.slice(0, MAX_TEXT)))
  add([...first], IN_FIRST_SENTENCE * share)
  add(
    [...rest].filter((word) => !first.has(word)),
    IN_TEXT * share,
  )
}

const EMPTY = new Set(
  'a an the of in on at to for with from by my our your me i am is are was were be and or it this that into as do you we there which what how'.split(
    ' ',
  ),
)

const ACTIONS = new Set(
  `create new add make insert write update edit change modify set delete remove erase cancel stop send post reply answer
  share move rename merge commit push run execute close open resolve upload invite book list get read show retrieve
  view fetch search find look check count react leave put save store remember download export import schedule take
  assign mark archive start enable disable click type fill navigate go visit`
    .trim()
    .split(/\s+/),
)
const MAX_SENTENCE = 160

function firstSentence(text: string): string {
  return (
    text
      .trim()
      .slice(0, MAX_SENTENCE)
      .split(/[.\n](?=\s|$)/)[0] ?? ''
  )
}

function wordsOf(text: string): readonly string[] {
  return nameTokens(text.replaceAll(/e-mail/gi, 'email'))
    .filter((word) => !EMPTY.has(word))
    .map(stem)
}

/** Crude on purpose: the same crude form on both sides is all that is needed. */
function stem(word: string): string {
  const one = singular(word)
  if (one.length > 5 && one.endsWith('ing')) return one.slice(0, -3)
  return one.length > 4 && one.endsWith('ed') ? one.slice(0, -2) : one
}
