/**
 * Disarms links in untrusted text before it is sent to others in the owner's name: a web or e-mail address can be read
 * but not followed, an account or telephone number is left out. Links that the owner wrote in this very request stay as
 * they are. A text is searched as it will be read: whole, whichever source wrote which part, and with invisible
 * characters and HTML entities resolved.
 */
import { seenText } from '../text/untrusted-text.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { isTrusted } from '../labels/label.ts'
import type { LabelTree } from '../labels/label-tree.ts'

/** The rest of an address, without the punctuation after it. */
const REST = String.raw`[^\s<>"']*[^\s<>"'.,;:!?)\]]`
const NAME = String.raw`(?:[\p{L}\p{N}_-]{1,63}\.){1,8}\p{L}[\p{L}\p{N}-]{1,62}`
const ADDRESS = [
  // a scheme with a slash of either kind, or one that needs none
  String.raw`\b[a-z][a-z0-9+.-]{0,15}:[\\/]${REST}`,
  String.raw`\b(?:https?|ftp|javascript|vbscript|data|blob|file|mailto|tel|sms):${REST}`,
  // no scheme at all
  String.raw`(?<![:\w\\/])[\\/]{2}(?=${NAME})${REST}`,
  String.raw`\bwww\.${REST}`,
  String.raw`[\w.+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,4}`,
  // a bare host name with a path, query or port, or one with at least three labels
  String.raw`(?<![\w@.-])${NAME}(?=[/?#]|:\d)${REST}`,
  String.raw`(?<![\w@.-])(?:[\p{L}\p{N}_-]{1,63}\.){2,8}\p{L}{2,24}\b`,
].join('|')
const ACCOUNT = String.raw`\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?\b`
const TELEPHONE = String.raw`(?:\+|\b00)\d[\d ().-]{7,18}\d`
const LINKS = new RegExp(`(?<account>${ACCOUNT})|(?<telephone>${TELEPHONE})|${ADDRESS}`, 'giu')
/** An account number has many digits; a few words of four letters, which look alike, have none. */
const FEWEST_DIGITS = 8

/** `words` is the owner's own text. */
export function guardLinks(value: Json, tree: LabelTree, words: string): Json {
  if (typeof value === 'string') return guardText(value, tree, words)
  if (typeof value !== 'object' || value === null) return value
  const guard = (member: Json, name: string): Json =>
    guardLinks(member, tree.members?.get(name) ?? tree.each ?? { label: tree.label }, words)
  if (Array.isArray(value)) return value.map((item: Json, at) => guard(item, String(at)))
  const members = Object.entries(value as JsonObject).map(([k, v]) => [k, guard(v, k)] as const)
  return Object.fromEntries(members)
}

interface Piece {
  readonly text: string
  readonly isOwn: boolean
}

/** Searches the whole text, so that a link across several parts is found; one untrusted part makes it untrusted. */
function guardText(text: string, tree: LabelTree, words: string): string {
  const pieces = piecesOf(text, tree)
  if (pieces.every(({ isOwn }) => isOwn)) return text
  const whole = pieces.map((piece) => piece.text).join('')
  const own = new Set(words.match(LINKS) ?? [])
  return whole.replace(LINKS, (found: string, ...rest: unknown[]) => {
    const at = rest.at(-3) as number
    if (own.has(found) || !isForeign(pieces, at, at + found.length)) return found
    return disarm(found, rest.at(-1) as Groups)
  })
}

function piecesOf(text: string, { label, spans = [] }: LabelTree): readonly Piece[] {
  const pieces: Piece[] = []
  let at = 0
  const add = (end: number, isOwn: boolean): void => {
    const piece = text.slice(at, end)
    pieces.push({ text: isOwn ? piece : readable(piece), isOwn })
    at = Math.max(at, end)
  }
  for (const span of spans) {
    add(span.start, isTrusted(label))
    add(span.end, isTrusted(span.label))
  }
  add(text.length, isTrusted(label))
  return pieces
}

/** The normalised text if it holds another number of links than the original; else the original. */
function readable(text: string): string {
  const plain = withoutEntities(seenText(text).normalize('NFKC'))
  return plain === text || countLinks(plain) === countLinks(text) ? text : plain
}

function countLinks(text: string): number {
  return text.match(LINKS)?.length ?? 0
}

const NAMED: Readonly<Record<string, string>> = {
  colon: ':',
  sol: '/',
  bsol: '\\',
  period: '.',
  commat: '@',
}
const ENTITY = /&(?:#(?<decimal>\d{1,7})|#x(?<hex>[0-9a-f]{1,6})|(?<name>[a-z]{2,8}));/gi

function withoutEntities(text: string): string {
  return text.replace(ENTITY, (whole, ...rest: unknown[]) => {
    const { decimal, hex, name } = rest.at(-1) as Groups
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code > 31 && code < 0x11_00_00 ? String.fromCodePoint(code) : whole
  })
}

type Groups = Readonly<Record<string, string | undefined>>

function isForeign(pieces: readonly Piece[], start: number, end: number): boolean {
  let at = 0
  return pieces.some(({ text, isOwn }) => {
    const from = at
    at += text.length
    return !isOwn && from < end && at > start
  })
}

function disarm(found: string, { account, telephone }: Groups): string {
  if (telephone !== undefined) return '[telephone number left out]'
  if (account === undefined) return unfollowable(found)
  return found.replace(/\D/g, '').length < FEWEST_DIGITS ? found : '[account number left out]'
}

function unfollowable(address: string): string {
  return address
    .replace(/^http/i, 'hxxp')
    .replace(/^ftp/i, 'fxp')
    .replace(/^(?!hxxp|fxp)([a-z][a-z0-9+.-]*):/i, '[$1] ')
    .replace(/^[\\/]{2}/, '[//]')
    .replaceAll('@', '[at]')
    .replaceAll('.', '[.]')
}
