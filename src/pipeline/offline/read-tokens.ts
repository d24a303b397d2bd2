/**
 * Takes a sentence apart into words and values: quoted texts, addresses, paths, numbers, ids, handles, `key=value`.
 * A text in quotes is a value and is never read as a word of the request. Pure.
 */
import { stemWord } from './stem-word.ts'

export type ValueKind =
  | 'handle'
  | 'pair'
  | 'quoted'
  | 'url'
  | 'email'
  | 'sql'
  | 'glob'
  | 'path'
  | 'repo'
  | 'channel'
  | 'number'
  | 'emoji'
  | 'id'

interface At {
  /** Position in the sentence. */
  readonly start: number
  readonly end: number
  /** As typed; of a quoted text without the quotes. */
  readonly text: string
}

export type Token = At &
  (
    | { readonly kind: 'word'; readonly stem: string }
    /** A comma, colon, semicolon, or the end of a sentence. */
    | { readonly kind: 'mark' }
    | { readonly kind: ValueKind; readonly key?: string }
  )

export type ValueToken = Extract<Token, { readonly kind: ValueKind }>

const SHAPES: readonly (readonly [ValueKind | 'word' | 'mark', RegExp])[] = [
  ['handle', /\$[a-z][a-z0-9]*/iy],
  ['pair', /[A-Za-z_][\w.-]*=(?:"[^"]*"|'[^']*'|[^\s,;]+)/y],
  ['quoted', /"[^"]*"|“[^”]*”|«[^»]*»|`[^`]*`|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/uy],
  ['url', /https?:\/\/[^\s"'<>]+[^\s"'<>.,;:!?)]/iy],
  ['email', /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/y],
  [
    'sql',
    /(?:select\s.+?\sfrom|insert\sinto|update\s\S+\sset|delete\sfrom|with\s\w+\sas\s*\()[^;"]*?(?=[;"]|\s(?:on|in|against|using|with|via)\s(?:(?:the|my|our)\s)?[\w-]+(?:\s(?:database|db))?[\s.?!]*$|[\s?!]*$)/iy,
  ],
  ['glob', /(?:[\w./~-]*\*[\w./*-]*\w[\w./*-]*|[\w./~-]*\w\*)(?=$|[\s,;:?!])/y],
  [
    'path',
    /(?:~|\.{1,2})?\/[\w.@+~/-]*[\w/]|~(?=\s|$)|(?:[\w.@+-]+\/)+(?=$|[\s,;:?!])|(?:[\w@+-]+\/)+[\w+-]+\.[a-z][a-z0-9]{0,5}\b|\w[\w-]*(?:\.[\w-]+)*\.(?!com\b|org\b|net\b|io\b)[a-z][a-z0-9]{0,4}\b(?!\.?\w)|\.[a-z][\w.-]+/iy,
  ],
  ['repo', /[\w.-]+(?:\/[\w.-]+)+/y],
  ['url', /(?:[a-z0-9-]+\.)+(?:com|org|net|io)\b(?:\/\S*)?/iy],
  ['number', /#?[+-]?\d+(?:\.\d{1,5})?(?=$|[\s,;?!)%]|[.:](?!\d))/y],
  ['channel', /#[\w-]+/y],
  ['emoji', /\p{Extended_Pictographic}(?:\u{200D}|\u{FE0F}|\p{Extended_Pictographic})*/uy],
  ['word', /[A-Za-z]\d(?![\w-]|[:.]\w)/y],
  [
    'id',
    /(?=\S*\d)(?=\S*[A-Za-z_:.-])(?:[A-Za-z0-9][\w.:-]*\w)|[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]*[A-Z]\w*[a-z]\w*/y,
  ],
  ['word', /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/uy],
  ['mark', /[,;:.?!()]/y],
]

export function readTokens(text: string): readonly Token[] {
  const found: Token[] = []
  let at = 0
  while (at < text.length) {
    const token = isSpace(text, at) ? undefined : tokenAt(text, at)
    if (token) found.push(token)
    at = token?.end ?? at + 1
  }
  return found
}

function isSpace(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at))
}

function tokenAt(text: string, start: number): Token | undefined {
  for (const [kind, shape] of SHAPES) {
    shape.lastIndex = start
    const [seen] = shape.exec(text) ?? []
    if (seen !== undefined && !isInside(kind, text, start)) {
      return tokenOf(kind, seen.trimEnd(), start)
    }
  }
  return undefined
}

/** A value begins where a word begins: not in the middle of one. */
function isInside(kind: Token['kind'], text: string, start: number): boolean {
  return kind !== 'mark' && kind !== 'emoji' && /[\p{L}\p{N}_]/u.test(text.charAt(start - 1))
}

function tokenOf(kind: Token['kind'], seen: string, start: number): Token {
  const at = { start, end: start + seen.length }
  if (kind === 'word') return { kind, text: seen, stem: stemWord(plain(seen)), ...at }
  if (kind === 'quoted') return { kind, text: seen.slice(1, -1), ...at }
  if (kind === 'handle') return { kind, text: seen.slice(1), ...at }
  if (kind !== 'pair') return { kind, text: seen, ...at }
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(seen) ?? []
  return { kind, key, text: value.replace(/^(["'])(.*)\1$/s, '$2'), ...at }
}

/** `what's` is `what`, `e-mail` is `email`. */
function plain(word: string): string {
  const lower = word.toLowerCase().replaceAll('’', "'")
  return lower === 'e-mail' || lower === 'e-mails'
    ? 'email'
    : lower.replace(/'(?:s|re|m|ll|d|ve)$/, '')
}
