/**
 * Reads values out of one clause for one tool, each word or value at most once: the value behind a noun (`channel C1`),
 * a name behind `called`, the rest behind `for`. Holds no rule about a kind of argument. Pure but for its own memory.
 */
import type { PlannedValue } from '../plan-port.ts'
import { type Clause, isEmptyWord, isInDate, isValue, writtenIn } from './read-clause.ts'
import type { Token, ValueKind, ValueToken } from './read-tokens.ts'
import { synonymsFor } from './spoken-nouns.ts'
import type { ToolTemplate } from './tool-template.ts'

export interface ReadingContext {
  readonly timezone: string
  /** The value of `it`: the result of the step before, or the newest handle. */
  readonly referent?: PlannedValue
  /** Words that name a service, with their prepositions. */
  readonly service: ReadonlySet<Token>
}

const FILLERS = /^(?:id|ids|number|no|nr|named|called|titled|is|with|the|a|an|request|address|at)$/i
const STOPS = new Set(
  'in on for with from to at and as of by into using via saying under'.split(' '),
)

export class ClauseReader {
  readonly clause: Clause
  readonly template: ToolTemplate
  readonly context: ReadingContext
  readonly #used = new Set<Token>()

  constructor(clause: Clause, template: ToolTemplate, context: ReadingContext) {
    this.clause = clause
    this.template = template
    this.context = context
  }

  use<T extends Token>(token: T): T {
    this.#used.add(token)
    return token
  }

  isFree(token: Token): boolean {
    return !this.#used.has(token) && !this.context.service.has(token)
  }

  /** The first value of one of these forms that is not used yet. */
  next(...kinds: readonly ValueKind[]): ValueToken | undefined {
    return this.all(...kinds)[0]
  }

  all(...kinds: readonly ValueKind[]): readonly ValueToken[] {
    return this.clause.values.filter((value) => kinds.includes(value.kind) && this.isFree(value))
  }

  /** The value or name behind one of the nouns, which are stems; before it if `isBefore`. */
  behind(nouns: readonly string[], isBefore = false): Token | undefined {
    const { tokens } = this.clause
    for (const noun of nouns) {
      const places = [...tokens.keys()].filter((at) => isNoun(tokens[at], noun))
      for (const at of places) {
        const found = isBefore ? this.#before(at) : this.#after(at + 1)
        if (found) return found
      }
    }
    return undefined
  }

  #after(from: number): Token | undefined {
    const { tokens } = this.clause
    for (let at = from; at < Math.min(tokens.length, from + 3); at += 1) {
      const token = tokens[at] as Token
      if (token.kind === 'mark' ? token.text === ':' : isFiller(token)) continue
      return this.#isName(token) ? token : undefined
    }
    return undefined
  }

  #before(at: number): Token | undefined {
    const token = this.clause.tokens[at - 1]
    return token && this.#isName(token) ? token : undefined
  }

  /** A value, or a word that is neither empty nor one of the tool's own. */
  #isName(token: Token): boolean {
    if (!this.isFree(token) || token.kind === 'mark' || token.kind === 'path') return false
    if (isInDate(token, this.clause.dates)) return false
    if (isValue(token)) return true
    const { nouns, verbs } = this.template
    return !isEmptyWord(token.stem) && !verbs.includes(token.stem) && !nouns.includes(token.stem)
  }

  /** The words between a verb of writing and its goal, without the tool's own nouns before them. */
  written(): string | undefined {
    const { tokens, head } = this.clause
    const own = new Set([...this.template.nouns, ...ARTICLES])
    const before = tokens.slice(0, writtenIn(head, tokens))
    const from = before.findIndex((token) => token.kind !== 'word' || !own.has(token.stem))
    const isNamed = before
      .slice(0, from)
      .some((token) => token.kind === 'word' && !ARTICLES.has(token.stem))
    return from < 0 ? undefined : this.#textOf(isNamed ? before.slice(from) : before)
  }

  /** The text behind one of the words, up to the next preposition, mark or date; to the end if `isWhole`. */
  run(words: ReadonlySet<string>, isWhole = false): string | undefined {
    const { tokens } = this.clause
    for (const [at, token] of tokens.entries()) {
      if (!isIn(token, words) || this.context.service.has(token)) continue
      const text = this.#runFrom(at + 1, isWhole)
      if (text !== undefined) return text
    }
    return undefined
  }

  #runFrom(from: number, isWhole: boolean): string | undefined {
    const { tokens, dates } = this.clause
    const first = tokens[from]
    if (first?.kind === 'quoted' && this.isFree(first)) return this.use(first).text
    const rest = tokens.slice(from)
    const stop = rest.findIndex(
      (token, at) =>
        !isWhole &&
        (token.kind === 'mark' || isInDate(token, dates) || (at > 0 && isIn(token, STOPS))),
    )
    return this.#textOf(stop < 0 ? rest : rest.slice(0, stop))
  }

  /** The clause without its head, the tool's own nouns at its beginning, and the service at its end. */
  rest(): string | undefined {
    const { tokens } = this.clause
    const { nouns } = this.template
    const from = tokens.findIndex((token) => {
      if (token.kind !== 'word') return token.kind !== 'mark' && this.isFree(token)
      if (isInDate(token, this.clause.dates)) return false
      const isOwn = nouns.some(
        (noun) => noun === token.stem || synonymsFor(noun).includes(token.stem),
      )
      return this.isFree(token) && !isOwn && !isEmptyWord(token.stem)
    })
    return from < 0 ? undefined : this.#textOf(tokens.slice(from))
  }

  #textOf(tokens: readonly Token[]): string | undefined {
    const last = tokens.findLastIndex(
      (token) => this.isFree(token) && !/^[?!.,;]$/.test(token.text),
    )
    const kept = tokens.slice(0, last + 1)
    const first = kept.findIndex((token) => this.isFree(token) && !/^[:,]$/.test(token.text))
    const [start, end] = [kept[first], kept.at(-1)]
    if (first < 0 || !start || !end) return undefined
    for (const token of kept.slice(first)) this.use(token)
    return start === end ? start.text : this.clause.text.slice(start.start, end.end)
  }

  /** Whether the clause speaks of a thing without naming it. In `that it works` the pronouns belong to the content. */
  saysIt(): boolean {
    const { tokens } = this.clause
    return tokens.some((token, at) => {
      const isResult = isIn(token, RESULTS) && isIn(tokens[at - 1] ?? token, THE)
      return (isResult || isIn(token, PRONOUNS)) && isEnding(tokens[at + 1])
    })
  }
}

/** The end of a clause, or of its object. */
function isEnding(next: Token | undefined): boolean {
  return next === undefined || next.kind === 'mark' || isIn(next, STOPS)
}

const ARTICLES = new Set(['the', 'a', 'an', 'thi', 'my'])
const PRONOUNS = new Set(['it', 'this', 'that', 'them', 'these', 'those'])
const RESULTS = new Set(['result', 'results', 'answer', 'output', 'list', 'text', 'content'])
const THE = new Set(['the', 'its'])

function isIn(token: Token, words: ReadonlySet<string>): boolean {
  return token.kind === 'word' && words.has(token.text.toLowerCase())
}

function isNoun(token: Token | undefined, noun: string): boolean {
  return token?.kind === 'word' && token.stem === noun
}

function isFiller(token: Token): boolean {
  return token.kind === 'word' && FILLERS.test(token.text)
}
