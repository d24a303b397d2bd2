/** The kind of value that an argument takes, by its name and type: what in a sentence can fill it. Pure. */
import type { CardArgument } from '../../ports/tool-view.ts'
import { nameTokens, singular } from '../../text/name-tokens.ts'

export type ArgumentKind =
  | 'url'
  | 'email'
  | 'path'
  | 'owner'
  | 'repo'
  | 'date'
  | 'sql'
  | 'pattern'
  | 'query'
  | 'place'
  | 'number'
  | 'flag'
  | 'text'
  | 'title'
  | 'id'
  /** An object, or a list of objects: no words fill it. */
  | 'other'

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** By the last word of the name that is listed. The first row that fits counts. */
const BY_WORD: readonly (readonly [ArgumentKind, ReadonlySet<string>])[] = [
  ['id', wordsOf('id iid uid uuid sha slug ts timestamp token timezone zone key range ref hash')],
  ['url', wordsOf('url uri link endpoint website href')],
  ['email', wordsOf('email recipient cc bcc')],
  ['sql', wordsOf('sql statement')],
  ['path', wordsOf('path file filepath filename directory folder dir source destination')],
  ['owner', wordsOf('owner')],
  ['repo', wordsOf('repo repository')],
  [
    'date',
    wordsOf('date since until start end checkin checkout deadline due at min max time datetime'),
  ],
  ['pattern', wordsOf('pattern glob')],
  ['query', wordsOf('query q search term keyword question topic prompt input thought intent')],
  ['place', wordsOf('location place city address where')],
  [
    'text',
    wordsOf(
      'text body content message comment description note html markdown value caption reply observation',
    ),
  ],
  ['title', wordsOf('name title subject summary label nickname')],
]

const DATES = /^(?:starts|ends|time(?:min|max)?|start|end|since|until|check(?:in|out)|due|date)/i

export function kindOfArgument(arg: CardArgument, tool: readonly string[]): ArgumentKind {
  return byType(arg.type.split('|')) ?? byName(arg, tool)
}

function byType(types: readonly string[]): ArgumentKind | undefined {
  const isEach = (shape: RegExp): boolean => types.every((type) => shape.test(type))
  if (isEach(/^boolean$/)) return 'flag'
  if (isEach(/^(?:object|any)?\[\]$|^object/)) return 'other'
  return isEach(/^(?:number|integer)$/) ? 'number' : undefined
}

function byName(arg: CardArgument, tool: readonly string[]): ArgumentKind {
  const words = nameTokens(arg.name).map(singular)
  const isMail = tool.some((word) => word === 'email' || word === 'mail')
  if (isMail && (arg.name === 'to' || arg.name === 'from')) return 'email'
  if (words.includes('email') && words.at(-1) !== 'id') return 'email'
  const kind = byWord(words)
  const isDate = kind === 'date' && !DATES.test(arg.name) && !/(?:date|time|at)$/i.test(arg.name)
  return isDate ? 'id' : kind
}

/** A string of another name is taken like an id: by the noun that stands before it in the sentence. */
function byWord(words: readonly string[]): ArgumentKind {
  for (const word of words.toReversed()) {
    const found = BY_WORD.find(([, listed]) => listed.has(word))
    if (found) return found[0]
  }
  return 'id'
}
