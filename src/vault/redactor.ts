/**
 * Redacts every value that the vault has lent, in every spelling of `text/spellings.ts`, in whole texts and in streams cut
 * anywhere. A value is redacted until the vault is locked, or longer while it is on lease. `isIn` also recognises half
 * of a token; `redact` does not hide halves.
 *
 * Not hidden: values under four bytes, which are everywhere; unknown spellings (compressed, encrypted, base64 broken
 * into lines); and a part of a secret, except the beginning of one at the end of a text.
 */
import { createHash } from 'node:crypto'
import type { Redactor, RedactorStream, SecretFinder } from '../kernel/ports.ts'
import { PatternIndex, SHORTEST_PATTERN } from './pattern-index.ts'
import { spellings } from '../text/spellings.ts'
import { tokensWithin } from './tokens-within.ts'
import { trimBytes } from './trim-bytes.ts'

const MARK = Buffer.from('[redacted]')
/** Lines of a longer secret that are hidden on their own: the body of a PEM key, not its blank lines. */
const SHORTEST_LINE = 8
const LINE_FEED = 0x0a
/** From this length on, the beginning of a secret at the end of a text is hidden as well. */
const SHORTEST_CUT = 8
/** Half of a shorter token is an ordinary word. */
const SHORTEST_TOKEN = 16
/** The bytes of a token. An address or a sentence has other bytes, and half of it may occur in any text. */
const TOKEN_BYTES = new Uint8Array(256).map((_, byte) =>
  /[\w.~+/=:-]/.test(String.fromCharCode(byte)) ? 1 : 0,
)
const SLASH = 0x2f

/** A redactor that can learn values. `forget` wipes all learned values. */
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
      // Fast path for nearly every text: no candidate, or only one too near the end for a whole pattern.
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
 * The value, and the value without surrounding white space, in all spellings; its long lines unencoded; and the secrets
 * inside it that `tokens-within.ts` finds.
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
  /** A token, which `isIn` recognises by either half. */
  readonly isToken: boolean
}

function spelled(value: Uint8Array): readonly Pattern[] {
  const isToken = looksLikeToken(value)
  return spellings(value).map((pattern) => ({ pattern, isToken }))
}

/** Byte by byte, so that no copy of the secret is left in a string. A double slash means a URL, not a token. */
function looksLikeToken(value: Uint8Array): boolean {
  const isOneWord = value.every((byte, at) => {
    return TOKEN_BYTES[byte] === 1 && !(byte === SLASH && value[at + 1] === SLASH)
  })
  return isOneWord && value.length >= SHORTEST_TOKEN
}

/** Both halves: however a token is cut in two, one of the pieces contains one half completely. */
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

/** Redacts one text that arrives in chunks. Overlapping and adjacent secrets become one mark. */
class RedactingStream {
  readonly #index: PatternIndex
  /** Text from the first position at which a secret may have begun but is not complete. */
  #held: Uint8Array = Buffer.alloc(0)
  /** How many bytes of the held text are already hidden as part of a secret. */
  #done = 0
  /** True when the output so far ends with a mark, so that an adjacent secret adds no second mark. */
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

  /** The visible text up to `end`, without the part that is hidden already. */
  #show(text: Uint8Array, end: number): Uint8Array {
    const before = text.subarray(this.#done, Math.max(this.#done, end))
    if (before.length > 0) this.#marked = false
    this.#done += before.length
    return before
  }
}
