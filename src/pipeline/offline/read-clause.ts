/**
 * One clause of a sentence, prepared for matching: its head (the verb of a command, the words of a question), its words
 * and values, its dates. A clause without a head is a heading such as `my open issues`, and can only be a read. Pure.
 */
import { type FoundDate, readDates } from './read-dates.ts'
import { singular } from '../../text/name-tokens.ts'
import { readTokens, type Token, type ValueToken } from './read-tokens.ts'
import { isSpokenVerb } from './said-verbs.ts'
import { stemWord } from './stem-word.ts'

export type Head =
  | { readonly kind: 'verb'; readonly stem: string }
  /** `which`, `what`, `who`, `how many`, `is`: asks to be shown something. */
  | { readonly kind: 'ask'; readonly word: string }
  | { readonly kind: 'none' }

export interface Clause {
  readonly text: string
  readonly head: Head
  /** Without the head. */
  readonly tokens: readonly Token[]
  readonly words: readonly SpokenWord[]
  readonly values: readonly ValueToken[]
  readonly dates: readonly FoundDate[]
  /** `in ~/Documents`: the clause is about things in a folder, not about one file. */
  readonly isInFolder: boolean
}

export interface SpokenWord {
  readonly stem: string
  readonly text: string
  readonly start: number
  /** Behind `for`, `about`, `called` …: likely a value, so it need not be explained by a tool. */
  readonly isTail: boolean
  /** Looks like a name, or stands where a value stands: `with thumbsup`. */
  readonly isValue: boolean
  readonly isMany: boolean
}

export interface Clock {
  readonly now: number
  readonly timezone: string
}

const ASKING = new Set(
  'what which who whom whose when where how is are am do does did has have was were can should'.split(
    ' ',
  ),
)
/** Words without a bearing on the choice of a tool. */
const EMPTY = new Set(
  `a an the my our your his her their me us i you we it this that these those them there here of in on at to for with from
  by into onto as is are was were be am do does did have has had and or all any some every please just now currently
  what which who whom whose when where how many much want need like can could would will shall should may might must
  under over within inside new named called titled saying about whats up out so yet still ever its one ones use using
  entry entries thing things something stuff recent latest last first existing current`
    .split(/\s+/)
    .map(stemWord),
)
const TAIL = new Set(
  'for about called named titled saying that regarding concerning matching containing why'.split(
    ' ',
  ),
)

export function readClause(text: string, clock: Clock): Clause {
  const all = readTokens(text)
  const { head, from } = headOf(all)
  const tokens = all.slice(from)
  const dates = readDates(text, all, clock)
  return {
    text,
    head,
    tokens,
    dates,
    isInFolder: tokens.some((token, at) => isFolder(token) && IN.test(wordOf(tokens[at - 1]))),
    words: [...wordsOf(tokens, dates, writtenIn(head, tokens)), ...whoIn(text)],
    values: tokens.filter((token) => isValue(token)).filter((one) => !isInDate(one, dates)),
  }
}

const IN = /^(?:in|inside|under|within|folder|directory)$/

/** A path whose last part has no ending. */
export function isFolder({ kind, text }: Token): boolean {
  return kind === 'path' && !/[^/]\.[a-z][a-z0-9]{0,5}$/i.test(text)
}

export function isValue(token: Token): token is ValueToken {
  return token.kind !== 'word' && token.kind !== 'mark'
}

export function isEmptyWord(stem: string): boolean {
  return EMPTY.has(stem)
}

export function isInDate({ start }: Pick<Token, 'start'>, dates: readonly FoundDate[]): boolean {
  return dates.some((date) => start >= date.start && start < date.end)
}

interface FoundHead {
  readonly head: Head
  /** The number of its tokens. */
  readonly from: number
}

function headOf(tokens: readonly Token[]): FoundHead {
  const [first, second] = tokens
  if (first?.kind === 'sql') return { head: { kind: 'verb', stem: 'run' }, from: 0 }
  if (first?.kind !== 'word') return { head: { kind: 'none' }, from: 0 }
  const word = wordOf(first)
  if (ASKING.has(word)) {
    const isCount = word === 'how' && wordOf(second) === 'many'
    return { head: { kind: 'ask', word: isCount ? 'count' : word }, from: 1 }
  }
  if (TOLD.test(`${word} ${wordOf(second)}`)) return toldHead(wordOf(tokens[2]))
  if (!isSpokenVerb(first.stem)) return { head: { kind: 'none' }, from: 0 }
  return { head: { kind: 'verb', stem: verbOf(first.stem, wordOf(second)) }, from: 1 }
}

/** To open an issue is to create it; to open the issue is to see it. */
function verbOf(stem: string, next: string): string {
  return stem === 'open' && /^(?:an?|another|new)$/.test(next) ? stemWord('create') : stem
}

const TOLD = /^(?:tell|give|show|send|get|let|read|bring) (?:me|us)$/

/** `tell me which …` asks, `show me the …` is a command. */
function toldHead(next: string): FoundHead {
  if (ASKING.has(next)) return { head: { kind: 'ask', word: next }, from: 3 }
  return { head: { kind: 'verb', stem: 'show' }, from: 2 }
}

function wordOf(token: Token | undefined): string {
  return token?.kind === 'word' ? token.text.toLowerCase().replace(/['’]s$/, '') : ''
}

const WRITING = new Set('write save post send put say store append add'.split(' ').map(stemWord))
const GOALS = new Set(['to', 'into', 'in', 'on'])

/** How many tokens stand between a verb of writing and the goal: `write hello world to a.txt`. Zero without a goal. */
export function writtenIn(head: Head, tokens: readonly Token[]): number {
  if (head.kind !== 'verb' || !WRITING.has(head.stem)) return 0
  const goal = tokens.findIndex((token, at) => {
    const next = tokens[at + 1]
    return GOALS.has(wordOf(token)) && next !== undefined && isValue(next) && next.kind !== 'quoted'
  })
  return Math.max(0, goal)
}

function wordsOf(
  tokens: readonly Token[],
  dates: readonly FoundDate[],
  written: number,
): readonly SpokenWord[] {
  const first = tokens.findIndex(
    (token) => token.kind === 'word' && TAIL.has(token.text.toLowerCase()),
  )
  return tokens.flatMap((token, at) => {
    if (token.kind !== 'word' || isEmptyWord(token.stem) || isInDate(token, dates)) return []
    const { stem, text, start } = token
    const isTail = first >= 0 && at > first
    const isMany = singular(text.toLowerCase()) !== text.toLowerCase()
    return [{ stem, text, start, isTail, isValue: at < written || isNameLike(tokens, at), isMany }]
  })
}

/** `ENG`, `fix-login`, or behind `with` and `as`. */
function isNameLike(tokens: readonly Token[], at: number): boolean {
  const { text = '' } = tokens[at] ?? {}
  return /^(?:with|as)$/i.test(tokens[at - 1]?.text ?? '') || looksNamed(text)
}

/** A word that only a name looks like. */
export function looksNamed(text: string): boolean {
  return /^\p{Lu}[\p{Lu}\d]+$|[\p{L}\d]-[\p{L}\d]/u.test(text)
}

/** The question word that names people. */
function whoIn(text: string): readonly SpokenWord[] {
  const [, isMe] = /^who(?:['’]s| is| are| am)?( i\b)?/i.exec(text) ?? [undefined, undefined]
  if (!/^who\b/i.test(text)) return []
  const stem = isMe === undefined ? 'who' : 'whoami'
  return [{ stem, text: stem, start: 0, isTail: true, isValue: true, isMany: stem === 'who' }]
}
