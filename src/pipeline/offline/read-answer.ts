/** Reads the answer to an open question: yes, no, `the second`, `the slack one`, a bare value. Pure. */
import type { ToolId } from '../../kernel/tool-id.ts'
import type { Json } from '../../text/json.ts'
import { nameTokens } from '../../text/name-tokens.ts'
import { readTokens } from './read-tokens.ts'
import { stemWord } from './stem-word.ts'
import type { ArgumentTemplate } from './tool-template.ts'

const NO =
  /^(?:no|nope|nah|no,? thanks|cancel|stop|never ?mind|forget it|nothing|none(?: of (?:them|these))?|neither|don['’]?t|do not)[\s.!]*$/i
const YES =
  /^(?:yes|yep|yeah|y|sure|ok|okay|please|please do|do it|do so|go ahead|right|correct|of course|confirm)[\s.!]*$/i

export function isNo(words: string): boolean {
  return NO.test(words.trim())
}

export function isYes(words: string): boolean {
  return YES.test(words.trim())
}

const PLACES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']
const PLACED =
  /^(?:number |no\.? ?|#|option |take |use )?(?:the )?(\w+)(?: one| option| tool)?[\s.!)]*$/i
const DIGITS = /^([1-9])(?:st|nd|rd|th)?$/

/** The tool that the words choose. Undefined if they choose none, or fit several. */
export function chosenTool(words: string, options: readonly ToolId[]): ToolId | undefined {
  const [, said = ''] = PLACED.exec(words.trim()) ?? []
  const [, digit] = DIGITS.exec(said) ?? []
  if (digit !== undefined) return options[Number(digit) - 1]
  if (said.toLowerCase() === 'last') return options.at(-1)
  const place = PLACES.indexOf(said.toLowerCase())
  return place >= 0 ? options[place] : namedTool(words, options)
}

const FILLING = new Set(
  'the one in on with from of use using take please tool that'.split(' ').map(stemWord),
)
const MOST_WORDS = 6

/** Every word that says something must be in the name of the tool or of its server. */
function namedTool(words: string, options: readonly ToolId[]): ToolId | undefined {
  const said = nameTokens(words)
    .map(stemWord)
    .filter((word) => !FILLING.has(word))
  if (said.length === 0 || said.length > MOST_WORDS) return undefined
  const fitting = options.filter(({ server, name }) => {
    const own = new Set(nameTokens(`${server} ${name}`).map(stemWord))
    return said.every((word) => own.has(word))
  })
  return fitting.length === 1 ? fitting[0] : undefined
}

const MOST_VALUE = 4000

/** The value of one argument in an answer; undefined if the words cannot be one. */
export function valueIn(words: string, { arg, kind, isList }: ArgumentTemplate): Json | undefined {
  const text = words.trim()
  if (text === '' || text.length > MOST_VALUE) return undefined
  if (kind === 'flag') return isYes(text) ? true : undefined
  if (kind === 'number') return numberIn(text)
  if (kind === 'other') return jsonIn(text)
  if (!arg.choices) return textIn(text, { arg, kind, isList })
  return arg.choices.find((choice) => choice.toLowerCase() === text.toLowerCase())
}

function textIn(
  text: string,
  { arg, kind, isList }: Pick<ArgumentTemplate, 'arg' | 'kind' | 'isList'>,
): Json | undefined {
  const [first, ...more] = readTokens(text)
  const bare = first?.kind === 'quoted' && more.length === 0 ? first.text : text
  if (!hasForm(kind, bare)) return undefined
  return isList && !arg.type.split('|').includes('string') ? bare.split(/\s*,\s*/) : bare
}

function hasForm(kind: ArgumentTemplate['kind'], text: string): boolean {
  if (kind === 'email') return /^\S+@\S+\.\S+$/.test(text)
  if (kind === 'url') return /^\S+$/.test(text)
  return true
}

function numberIn(text: string): number | undefined {
  const found = /^(?:number |no\.? ?|#)?(-?\d+(?:\.\d+)?)[.!]?$/i.exec(text)
  return found ? Number(found[1]) : undefined
}

function jsonIn(text: string): Json | undefined {
  if (!/^[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
