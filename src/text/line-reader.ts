/**
 * Splits a server's output into lines. A line is joined once, when it is complete. Of a line above the limit only the
 * two ends are kept, so a server that floods costs no memory.
 */

const LINE_FEED = 0x0a
/** Enough of either end of an answer to find its id there. */
const END_BYTES = 256
/** This many pieces are joined into one: a line that arrives byte by byte must not cost more than the line. */
const PIECES = 1024

export interface LineSink {
  line(text: string): void
  /** A line above the limit is complete; only its first and last bytes were kept. */
  oversize(head: string, tail: string): void
  /** A line has exceeded `floodBytes` and still has no end. Called once per line. */
  flood(): void
}

interface LineLimits {
  readonly lineBytes: number
  /** From here on, a line without an end is not an answer but an attack. */
  readonly floodBytes: number
}

export class LineReader {
  readonly #limits: LineLimits
  readonly #sink: LineSink
  #parts: Uint8Array[] = []
  /** How many of the parts are joined pieces. */
  #joined = 0
  #length = 0
  /** Set while a line above the limit is being discarded. */
  #ends: { readonly head: Buffer; tail: Buffer } | undefined

  constructor(limits: LineLimits, sink: LineSink) {
    this.#limits = limits
    this.#sink = sink
  }

  /** Bytes of the line that has no end yet. */
  get unfinished(): number {
    return this.#length
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#keep(chunk.subarray(start, end))
      this.#finish()
      start = end + 1
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start))
  }

  #keep(piece: Buffer): void {
    const before = this.#length
    this.#length += piece.length
    if (this.#length <= this.#limits.lineBytes) {
      this.#parts.push(piece)
      if (this.#parts.length - this.#joined >= PIECES) this.#join()
      return
    }
    this.#ends ??= this.#giveUp(piece)
    const tail = Buffer.concat([this.#ends.tail, piece.subarray(-END_BYTES)])
    this.#ends.tail = tail.subarray(-END_BYTES)
    const { floodBytes } = this.#limits
    if (before < floodBytes && this.#length >= floodBytes) this.#sink.flood()
  }

  #giveUp(piece: Buffer): { head: Buffer; tail: Buffer } {
    const head = Buffer.concat([...this.#parts, piece], Math.min(END_BYTES, this.#length))
    // No part is empty, so the last `END_BYTES` parts contain the last `END_BYTES` bytes.
    const tail = Buffer.concat(this.#parts.slice(-END_BYTES))
    this.#parts = []
    this.#joined = 0
    return { head, tail }
  }

  #join(): void {
    this.#parts.push(Buffer.concat(this.#parts.splice(this.#joined)))
    this.#joined = this.#parts.length
  }

  #finish(): void {
    const [parts, ends] = [this.#parts, this.#ends]
    this.#parts = []
    this.#joined = 0
    this.#length = 0
    this.#ends = undefined
    if (ends) this.#sink.oversize(ends.head.toString(), ends.tail.toString())
    else this.#sink.line(textOf(parts))
  }
}

function textOf(parts: readonly Uint8Array[]): string {
  const [first] = parts
  const whole = parts.length === 1 && first ? first : Buffer.concat(parts)
  return Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString('utf8')
}
