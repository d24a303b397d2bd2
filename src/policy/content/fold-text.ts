/**
 * A text as programs and people read it: NFKC, without invisible characters, HTML character references resolved. Keeps
 * the way back to the original, so that what is found in the folded text can be changed in the original and everything
 * else stays byte for byte. Changes no text itself.
 */
import { seenText } from '../../text/untrusted-text.ts'

export interface FoldedText {
  readonly plain: string
  /** The range of the original that became this range of `plain`. */
  readonly original: (start: number, end: number) => readonly [start: number, end: number]
}

const NEEDS_FOLDING = /[^\t\n\r -~]|&/
const FOLDED = /&(?:#\d{1,7};?|#x[0-9a-f]{1,6};?|[a-z]{2,15};)|[^\t\n\r -~]/giu

export function foldText(text: string): FoldedText {
  if (!NEEDS_FOLDING.test(text)) return { plain: text, original: (start, end) => [start, end] }
  const map = new OffsetMap()
  let plain = ''
  let at = 0
  for (const match of text.matchAll(FOLDED)) {
    const [found] = match
    const folded = foldPart(text, found, match.index)
    if (folded === found) continue
    plain += text.slice(at, match.index)
    at = match.index + found.length
    map.add(plain.length, match.index, [folded.length, found.length])
    plain += folded
  }
  plain += text.slice(at)
  return { plain, original: (start, end) => [map.startOf(start), map.endOf(end)] }
}

function foldPart(text: string, found: string, at: number): string {
  if (found.startsWith('&')) return resolved(found)
  const folded = seenText(found).normalize('NFKC')
  if (folded !== IDEOGRAPHIC_STOP) return folded
  // A full stop of a Chinese or Japanese sentence stays; between Latin letters it is the dot of a host name (UTS #46).
  const isDot = LATIN.test(text[at - 1] ?? '') && LATIN.test(text[at + found.length] ?? '')
  return isDot ? '.' : folded
}

export const IDEOGRAPHIC_STOP = '\u3002'
const LATIN = /[a-z0-9-]/i

/** The named references that can be part of an address, by their names in lower case. */
const NAMED: Readonly<Record<string, string>> = {
  colon: ':',
  sol: '/',
  bsol: '\\',
  period: '.',
  commat: '@',
  lowbar: '_',
  hyphen: '-',
  dash: '-',
  num: '#',
  quest: '?',
  percnt: '%',
  plus: '+',
  equals: '=',
  lsqb: '[',
  rsqb: ']',
  excl: '!',
  // A parser of addresses drops tabs and line ends, and nobody sees the others.
  tab: '',
  newline: '',
  shy: '',
  zwj: '',
  zwnj: '',
  nobreak: '',
  zerowidthspace: '',
}

function resolved(found: string): string {
  const body = found.slice(1).replace(/;$/, '').toLowerCase()
  if (!body.startsWith('#')) return Object.hasOwn(NAMED, body) ? (NAMED[body] ?? found) : found
  const code = body[1] === 'x' ? Number.parseInt(body.slice(2), 16) : Number(body.slice(1))
  if (code > 0x10_ff_ff) return found
  return code < 32 ? '' : seenText(String.fromCodePoint(code)).normalize('NFKC')
}

/** The places where the folded text differs from the original; between them both run in step. */
class OffsetMap {
  readonly #plain: number[] = []
  readonly #original: number[] = []
  readonly #lengths: (readonly [plain: number, original: number])[] = []

  add(plain: number, original: number, lengths: readonly [number, number]): void {
    this.#plain.push(plain)
    this.#original.push(original)
    this.#lengths.push(lengths)
  }

  startOf(offset: number): number {
    const last = this.#before(offset)
    return last < 0 ? offset : this.#map(last, offset, 'start')
  }

  endOf(offset: number): number {
    const last = this.#before(offset - 1)
    return last < 0 ? offset : this.#map(last, offset, 'end')
  }

  #map(at: number, offset: number, edge: 'start' | 'end'): number {
    const [plainLength, originalLength] = this.#lengths[at] ?? [0, 0]
    const into = offset - (this.#plain[at] ?? 0)
    const from = this.#original[at] ?? 0
    if (into >= plainLength) return from + originalLength + into - plainLength
    return edge === 'start' ? from : from + originalLength
  }

  /** The last place at or before this offset, found by halving. */
  #before(offset: number): number {
    let low = 0
    let high = this.#plain.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#plain[middle] ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}
