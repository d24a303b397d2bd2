/**
 * Hides what the vault has lent, in every spelling of `spellings.ts`, in whole texts and in streams cut anywhere.
 * It knows a value until the vault is locked, or longer while the value is still lent. A token it also knows by half,
 * for whoever asks whether one is in a text; what is shown is not hidden for that.
 *
 * What it cannot hide: values under four bytes, which are everywhere; spellings it does not know (compressed,
 * encrypted, base64 broken into lines); and a piece of a secret, except where the text ends in the middle of one.
 */
import { createHash } from 'node:crypto'
import type { Redactor, RedactorStream, SecretFinder } from '../kernel/ports.ts'
import { PatternIndex, SHORTEST_PATTERN } from './pattern-index.ts'
import { spellings } from './spellings.ts'
import { tokensWithin } from './tokens-within.ts'
import { trimBytes } from './trim-bytes.ts'

const MARK = Buffer.from('[redacted]')
/** Lines of a longer secret that are hidden on their own: the body of a PEM key, not its blank lines. */
const SHORTEST_LINE = 8
const LINE_FEED = 0x0a
/** From this length on, the beginning of a secret at the end of a text is hidden as well. */
const SHORTEST_CUT = 8
/** Half of a shorter one is an ordinary word. */
const SHORTEST_TOKEN = 16
/** What a token is made of. Half of an address or of a sentence may be said by anybody. */
const TOKEN_BYTES = new Uint8Array(256).map((_, byte) =>
  /[\w.~+/=:-]/.test(String.fromCharCode(byte)) ? 1 : 0,
)
const SLASH = 0x2f

/** A redactor that can be taught. `forget` wipes all that it was taught. */
export interface TeachableRedactor extends Redactor, SecretFinder {
  learn(value: Uint8Array): void
  forget(): void
}

export function createRedactor(): TeachableRedactor {
  const index = new PatternIndex()
  const halves = new PatternIndex()
  const known = new Set<string>()
  return {
    isIn(text): boolean {
      if (known.size === 0) return false
      const bytes = Buffer.from(text)
      for (let at = -1; at < bytes.length; ) {
        at = halves.nextCandidate(bytes, at + 1)
        if (at < bytes.length && halves.matchAt(bytes, at).end > at) return true
      }
      return false
    },
    redact(text): string {
      if (known.size === 0) return text
      const bytes = Buffer.from(text)
      // Nearly every text: what could begin a pattern does not occur, or only in its last bytes, too few for any.
      if (bytes.length - index.nextCandidate(bytes, 0) < SHORTEST_PATTERN) return text
      const shown = new RedactingStream(index).take(bytes, true)
      return shown.equals(bytes) ? text : shown.toString()
    },
    stream(): RedactorStream {
      const stream = new RedactingStream(index)
      return {
        push: (chunk) => stream.take(chunk, false),
        end: () => stream.take(Buffer.alloc(0), true),
      }
    },
    learn(value): void {
      const digest = createHash('sha256').update(value).digest('base64')
      if (known.has(digest)) return
      known.add(digest)
      for (const { pattern, isToken } of patterns(value)) {
        if (pattern.length < SHORTEST_PATTERN) continue
        for (const half of isToken ? halvesOf(pattern) : [pattern]) halves.add(Buffer.from(half))
        index.add(pattern)
      }
    },
    forget(): void {
      index.clear()
      halves.clear()
      known.clear()
    },
  }
}

/**
 * The value as it is and without white space around it, in all spellings; its long lines as they are; and the tokens
 * in it, where it is the answer of a token endpoint.
 */
function patterns(value: Uint8Array): readonly Pattern[] {
  const trimmed = trimBytes(value)
  const lines = splitLines(trimmed).map(trimBytes)
  return [
    ...spelled(value),
    ...(trimmed.length < value.length ? spelled(trimmed) : []),
    ...tokensWithin(trimmed).flatMap((token) => spelled(token)),
    ...lines
      .filter((line) => line.length >= SHORTEST_LINE)
      .map((line) => ({ pattern: Buffer.from(line), isToken: false })),
  ]
}

interface Pattern {
  readonly pattern: Buffer
  /** One word of letters and digits, by whose half it is known. */
  readonly isToken: boolean
}

function spelled(value: Uint8Array): readonly Pattern[] {
  const isToken = looksLikeToken(value)
  return spellings(value).map((pattern) => ({ pattern, isToken }))
}

/** Byte by byte, so that no copy of it is left in a string. Two slashes are those of an address. */
function looksLikeToken(value: Uint8Array): boolean {
  const isOneWord = value.every((byte, at) => {
    return TOKEN_BYTES[byte] === 1 && !(byte === SLASH && value[at + 1] === SLASH)
  })
  return isOneWord && value.length >= SHORTEST_TOKEN
}

/** However it is cut in two, one of these is whole in one of the pieces. */
function halvesOf(pattern: Buffer): readonly Uint8Array[] {
  const half = Math.ceil(pattern.length / 2)
  return [pattern.subarray(0, half), pattern.subarray(-half)]
}

function splitLines(value: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = []
  let start = 0
  for (let end = 0; end !== -1; start = end + 1) {
    end = value.indexOf(LINE_FEED, start)
    lines.push(value.subarray(start, end === -1 ? value.length : end))
  }
  return lines
}

/** One text, in pieces. Overlapping and touching secrets become one mark. */
class RedactingStream {
  readonly #index: PatternIndex
  /** Text from the first position at which a secret may have begun but is not complete. */
  #held: Uint8Array = Buffer.alloc(0)
  /** How much of the held text is already dealt with: it lies inside a secret. */
  #done = 0
  /** What came just before the part that is not dealt with was a secret. */
  #marked = false

  constructor(index: PatternIndex) {
    this.#index = index
  }

  take(chunk: Uint8Array, last: boolean): Buffer {
    const text = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk
    const shown: Uint8Array[] = []
    let at = this.#index.nextCandidate(text, 0)
    for (; at < text.length; at = this.#index.nextCandidate(text, at + 1)) {
      const { end, open } = this.#index.matchAt(text, at)
      if (open && !last) break
      const cutShort = open && text.length - at >= SHORTEST_CUT
      if (cutShort || end > at) shown.push(...this.#hide(text, at, cutShort ? text.length : end))
    }
    shown.push(this.#show(text, at))
    this.#held = Buffer.from(text.subarray(at))
    this.#done -= Math.min(at, this.#done)
    return Buffer.concat(shown)
  }

  #hide(text: Uint8Array, start: number, end: number): readonly Uint8Array[] {
    const before = this.#show(text, start)
    const mark = this.#marked ? [] : [MARK]
    this.#done = Math.max(this.#done, end)
    this.#marked = true
    return [before, ...mark]
  }

  /** The text up to here, as far as it is not dealt with yet. */
  #show(text: Uint8Array, end: number): Uint8Array {
    const before = text.subarray(this.#done, Math.max(this.#done, end))
    if (before.length > 0) this.#marked = false
    this.#done += before.length
    return before
  }
}
