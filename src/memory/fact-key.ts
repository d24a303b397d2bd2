/**
 * The subject of a sentence, by fixed rules: the words before `is`. Two facts with the same key are about the same
 * thing, so the later one replaces the earlier one. Pure; knows English only.
 */
import { nameTokens } from '../text/name-tokens.ts'

export interface FactKey {
  /** Equal for facts that replace each other. */
  readonly key: string
  /** Absent if the sentence has no subject that could be told: then only the same sentence replaces it. */
  readonly subject?: string
  /** The words after the verb, if there is a subject. */
  readonly value?: string
}

/** `my dentist is …`, `wifi name: …`, `the standup was …`. */
const STATES = /^(?<subject>[^.!?:=]{1,80}?)\s*(?:\s(?:is|are|was|were)\s|[:=]\s|'s name is\s)/i
/** Habits of which a person has one: `I live in Lyon`, `I work for Acme`. */
const HAS_ONE = /^(?<subject>I (?:live|work|was born))\s/i
/** A sentence about one of these says one thing of many: `I am vegetarian` and `I am allergic to nuts` are both true. */
const PRONOUNS: ReadonlySet<string> = new Set(
  'i he she it we they you this that there these those'.split(' '),
)
/** `my dentist is in Lyon` says another thing than `my dentist is Dr. Adeyemi`. */
const PLACES: ReadonlySet<string> = new Set(
  'in at on from near by with for about before after until'.split(' '),
)
const ARTICLES: ReadonlySet<string> = new Set(['the', 'a', 'an'])

export function factKey(text: string): FactKey {
  const single = HAS_ONE.exec(text)
  const found = single ?? STATES.exec(text)
  const subject = subjectKey(found?.groups?.['subject'])
  if (!found || subject === '' || PRONOUNS.has(subject))
    return { key: `text:${nameTokens(text).join(' ')}` }
  const value = text.slice(found[0].length)
  return { key: `subject:${subject}${single ? '' : placeIn(value)}`, subject, value }
}

function placeIn(value: string): string {
  const [next = ''] = nameTokens(value)
  return PLACES.has(next) ? ` ${next}` : ''
}

/** The same for `My dentist`, `my  dentist` and `the my dentist`. */
function subjectKey(words: string = ''): string {
  return nameTokens(words)
    .filter((word) => !ARTICLES.has(word))
    .join(' ')
}
