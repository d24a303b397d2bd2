/**
 * Whether a sentence asks for something to be done. Only a plain request may lead to a write: a forbidding sentence, a
 * question, a statement and a condition lead to reads at most. In doubt a sentence is no request. Pure.
 */
import type { Token } from './read-tokens.ts'

export type Mood =
  | 'request'
  /** `can you delete …?`: may ask whether it is possible. */
  | 'ability'
  /** Asks to be shown something. */
  | 'question'
  /** Asks how, whether or why something is done: nothing that a tool could show. */
  | 'advice'
  | 'statement'
  /** Forbids, or says what is not so. */
  | 'negated'
  | 'condition'

const NEGATIONS = new Set(
  `not never no none nobody nothing neither nor cannot without avoid refrain dont doesnt didnt wont shouldnt cant isnt
  arent wasnt wouldnt couldnt mustnt havent hasnt aint instead nowhere`.split(/\s+/),
)
const CONDITIONS = new Set('if unless whenever until once provided assuming'.split(' '))
const QUESTIONS = new Set(
  `what which who whom whose when where why how is are am was were do does did should shall may might must has have had
  isnt arent wasnt whether wonder can could would will`.split(/\s+/),
)
/** Subjects of statements: a sentence that begins with a pronoun requests nothing. */
const TELLING = new Set('i you he she it we they there someone somebody everybody'.split(' '))
const ADVICE =
  /^(?:(?:tell|show|teach) me |explain |i wonder |do you know )?(?:how (?:do|does|did|can|could|would|should|to|come)\b|why\b|whether\b|should|shall\b|must\b|may (?:i|we)\b|can (?:i|we|one|it)\b|could (?:i|we|one|it)\b|would\b|will\b|did\b|(?:have|had) (?:you|they)\b|has\b.*\bbeen\b|do(?:es)? (?:i|we|it|one) (?:have|need) to\b|does \w+ing\b|is(?:n['’]t)? (?:it|this|that) (?:possible|safe|ok|okay|wise|better|worth|good|a |allowed|legal|fine)|is there (?:a|any) way|what (?:if|happens|would|will|does .* (?:mean|do))\b|when (?:should|do|did|will|would|can)\b|which is better|(?:was|were)\b|who \w+ed\b)/i

const POLITE =
  /^(?:(?:hey|hi|hello|ok|okay|well|so|now|then|and|also|just|cordon|please|pls|kindly|quickly)\b[\s,:!]*)+/i
const WISH =
  /^(?:i(?:['’]d| would)? (?:want|need|like|love)(?: you)? to |i(?:['’]d| would) like you to |let['’]?s (?!not)|go ahead and |help me (?:to )?|try to |make sure (?:to|you) |be so kind (?:as )?to |(?:could|would|will) (?:you|u) (?:please |kindly |maybe |mind )?|can (?:you|u) (?:please|kindly) )/i
const CLOSING = /[\s,]+(?:please|pls|thanks|thank you|for me|now)[\s.!]*$/i
const ABLE = /^(?:can (?:you|u)|are you able to) (?:maybe |also |just )?/i
const TOOL_FIRST = /^(?:use|using|with|via) ([\w-]+)(?: to|,| and) /i

export interface Request {
  readonly mood: Mood
  /** Without the words of politeness around it. */
  readonly words: string
  /** `use tavily to search`: the service that is named before the verb. */
  readonly service?: string
}

export function moodOf(text: string, readTokens: (text: string) => readonly Token[]): Request {
  const bare = text.trim().replace(POLITE, '').replace(CLOSING, '')
  const wished = bare.replace(WISH, '').replace(POLITE, '')
  const command = wished.replace(ABLE, '').replace(POLITE, '')
  const isAble = command !== wished
  const [, service] = TOOL_FIRST.exec(command) ?? []
  const words = command.replace(TOOL_FIRST, '')
  const named = service === undefined ? {} : { service }
  if (ADVICE.test(wished) && !isAble) return { mood: 'advice', words, ...named }
  const mood = moodIn(readTokens(bare), readTokens(words), words !== bare)
  const isAbility = mood === 'request' && isAble && /\?\s*$/.test(text)
  return { mood: isAbility ? 'ability' : mood, words, ...named }
}

function moodIn(all: readonly Token[], words: readonly Token[], isAsked: boolean): Mood {
  const spoken = all.flatMap(spokenIn)
  if (spoken.some((word, at) => isNegation(word, spoken[at + 1] ?? ''))) return 'negated'
  const first = words.find((token) => token.kind === 'word')
  const head = first ? bareWord(first.text) : ''
  if (asksHow(spoken)) return 'advice'
  if (QUESTIONS.has(head)) return 'question'
  if (spoken.some((word, at) => isCondition(word, at, spoken[at + 1] ?? ''))) return 'condition'
  const isOpen = all.at(-1)?.text === '?'
  if (isOpen && !isAsked) return 'question'
  return TELLING.has(head) ? 'statement' : 'request'
}

/** The end of a sentence that holds a statement of SQL is read as a part of it: a "not" there counts, except SQL's own. */
function spokenIn(token: Token): readonly string[] {
  if (token.kind === 'word') return [bareWord(token.text)]
  if (token.kind !== 'sql') return []
  const bare = token.text.replaceAll(/\bis not\b|\bnot (?:in|like|exists|between|null)\b/gi, ' ')
  return bare.match(/[\p{L}'’]+/gu)?.map(bareWord) ?? []
}

/** `stop sending` forbids; `stop the recording` is a request. */
function isNegation(word: string, next: string): boolean {
  return NEGATIONS.has(word) || word.endsWith("n't") || (word === 'stop' && next.endsWith('ing'))
}

const TIMES = /^(?:\d|day|week|month|hour|minute|morning|evening|night|weekday|[a-z]+day$)/

function isCondition(word: string, at: number, next: string): boolean {
  if (word === 'when') return at > 0
  return CONDITIONS.has(word) || (word === 'every' && TIMES.test(next))
}

/** `explain how to …`, `tell me whether …`, `show me what happens if …`. */
function asksHow(words: readonly string[]): boolean {
  return words.some((word, at) => {
    const next = words[at + 1] ?? ''
    if (word === 'how') return /^(?:to|do|does|can|could|would|should|i|one|you)$/.test(next)
    return (
      word === 'whether' ||
      word === 'wonder' ||
      (word === 'what' && /^(?:if|happens|would)$/.test(next))
    )
  })
}

function bareWord(word: string): string {
  const lower = word.toLowerCase().replaceAll('’', "'")
  return lower.endsWith("n't") ? lower : lower.replace(/'(?:s|re|m|ll|d|ve)$/, '')
}
