/**
 * The law of plain comments: a comment names its subject. Pronouns and stand-ins ("it", "whoever", "those") refer to code
 * that the reader has not read yet, so a comment made of them cannot be understood alone.
 */
import type { Violation } from './violation.ts'

const MAX_SHARE = 0.3
/** Shorter comments are labels ("Owner only."); a share of so few words says nothing. */
const MIN_WORDS = 8

const STAND_INS: ReadonlySet<string> = new Set(
  [
    'it its itself this that these those they them themselves',
    'what whatever which whichever who whom whose whoever where wherever',
    'one ones other others another thing things',
    'something somebody someone anything anybody anyone',
    'nothing nobody none everything everybody everyone',
  ].flatMap((line) => line.split(' ')),
)

const BLOCK_OR_LINES = /\/\*\*?([\s\S]*?)\*\/|(?:^|(?<=\s))\/\/ (.*(?:\n[ \t]*\/\/ .*)*)/g
const RIDDLE =
  /^(?:What|Whatever|Whoever|Who|Where|Wherever|Somebody|Someone|Nobody|One (?:that|who))\b/
const HE_OR_SHE = /\b(?:he|him|his|himself|she|hers|herself)\b/i

export function commentViolations(file: string, text: string): readonly Violation[] {
  return [...text.matchAll(BLOCK_OR_LINES)].flatMap((found) => {
    const body = (found[1] ?? found[2] ?? '')
      .replaceAll(/^[ \t]*(?:\*|\/\/)/gm, ' ')
      .replaceAll(/`[^`]*`/g, ' code ')
      .trim()
    const where = `${file}:${text.slice(0, found.index).split('\n').length}`
    return faultsOf(body).map((what) => ({ where, what: `${what}: ${shorten(body)}` }))
  })
}

function faultsOf(body: string): readonly string[] {
  const words = body.match(/[A-Za-z][A-Za-z'’-]*/g) ?? []
  const standIns = words.filter((word) => STAND_INS.has(word.toLowerCase()))
  const isRiddle = words.length >= MIN_WORDS && standIns.length > MAX_SHARE * words.length
  return [
    ...(isRiddle ? [`${standIns.length} of ${words.length} words are stand-ins`] : []),
    ...(RIDDLE.test(body) ? ['begins with a stand-in instead of its subject'] : []),
    ...(HE_OR_SHE.test(body) ? ['a person is "they"'] : []),
  ]
}

function shorten(body: string): string {
  return body.replaceAll(/\s+/g, ' ').slice(0, 100)
}
