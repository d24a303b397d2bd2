/**
 * Multi-pattern search over bytes. A rolling window of four bytes is looked up in a small hash filter that rejects
 * nearly all harmless text; a hit is compared with the few patterns that share those four bytes. Holds the patterns,
 * and can wipe them.
 */

/** The filter looks at the first four bytes of a pattern, so a shorter pattern cannot be added. */
export const SHORTEST_PATTERN = 4

export interface PatternMatch {
  /** End of the longest pattern that begins at this position; the position itself if no pattern does. */
  readonly end: number
  /** The text ends inside a pattern that begins here: more text could complete it. */
  readonly open: boolean
}

export class PatternIndex {
  /** 1 for each hash of the first four bytes of a pattern. */
  readonly #filter = new Uint8Array(65_536)
  /** Patterns by their first four bytes. */
  readonly #buckets = new Map<number, Buffer[]>()
  /** The first one, two and three bytes of every pattern, to match patterns that are cut off by the end of the text. */
  readonly #stubs = new Set<number>()

  /** Takes ownership of the buffer; a duplicate pattern is wiped at once. */
  add(pattern: Buffer): void {
    const head = pattern.readInt32BE(0)
    const bucket = this.#buckets.get(head) ?? []
    if (bucket.some((known) => known.equals(pattern))) {
      pattern.fill(0)
      return
    }
    bucket.push(pattern)
    this.#buckets.set(head, bucket)
    this.#filter[hash(head)] = 1
    for (const length of [1, 2, 3]) this.#stubs.add(stub(pattern, 0, length))
  }

  clear(): void {
    for (const pattern of [...this.#buckets.values()].flat()) pattern.fill(0)
    this.#buckets.clear()
    this.#stubs.clear()
    this.#filter.fill(0)
  }

  /** The next position at which a pattern could begin, or the length of the text. */
  nextCandidate(text: Uint8Array, from: number): number {
    let at = from
    const lastHead = text.length - SHORTEST_PATTERN
    if (at <= lastHead) {
      let head = (byteAt(text, at) << 16) | (byteAt(text, at + 1) << 8) | byteAt(text, at + 2)
      for (; at <= lastHead; at += 1) {
        head = (head << 8) | byteAt(text, at + 3)
        if (this.#filter[hash(head)] === 1) return at
      }
    }
    while (at < text.length && !this.#stubs.has(stub(text, at, text.length - at))) at += 1
    return at
  }

  /** Compares the text at a candidate position with the patterns. */
  matchAt(text: Uint8Array, at: number): PatternMatch {
    const left = text.length - at
    if (left < SHORTEST_PATTERN) return { end: at, open: true }
    let end = at
    let open = false
    for (const pattern of this.#buckets.get(headAt(text, at)) ?? []) {
      if (!agree(text, at, pattern)) continue
      if (pattern.length > left) open = true
      else end = Math.max(end, at + pattern.length)
    }
    return { end, open }
  }
}

/** Whether pattern and text are equal up to the end of the shorter. */
function agree(text: Uint8Array, at: number, pattern: Buffer): boolean {
  const length = Math.min(pattern.length, text.length - at)
  for (let i = SHORTEST_PATTERN; i < length; i += 1) {
    if (text[at + i] !== pattern[i]) return false
  }
  return true
}

function headAt(text: Uint8Array, at: number): number {
  return (stub(text, at, 3) << 8) | byteAt(text, at + 3)
}

/** Up to three bytes as one number. The length is the leading byte, so that leading zero bytes still count. */
function stub(text: Uint8Array, at: number, length: number): number {
  let bytes = length
  for (let i = 0; i < length; i += 1) bytes = (bytes << 8) | byteAt(text, at + i)
  return bytes
}

function byteAt(text: Uint8Array, at: number): number {
  return text[at] as number
}

function hash(head: number): number {
  return Math.imul(head, 0x9e3779b1) >>> 16
}
