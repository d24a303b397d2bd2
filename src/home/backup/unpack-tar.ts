/**
 * Reads the archives that `pack-tar.ts` writes, as a stream, and nothing else of what tar can say: a link, a folder, a
 * device, an extended header and a wrong checksum are refused. Knows nothing of files.
 */
import { BLOCK, checksum } from './pack-tar.ts'
import { backupDamaged } from './backup-errors.ts'

export interface MemberHead {
  readonly name: string
  readonly bytes: number
}

/** Hands over each member, whose bytes have to be read to their end. Reads `chunks` to their end. */
export async function unpackTar(
  chunks: AsyncIterable<Uint8Array>,
  take: (head: MemberHead, body: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  const source = new ByteSource(chunks)
  for (;;) {
    const block = await source.exactly(BLOCK)
    if (block.every((byte) => byte === 0)) break
    const head = parseHead(block)
    let left = head.bytes
    const body = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of source.next(head.bytes)) {
        left -= chunk.length
        yield chunk
      }
    }
    await take(head, body())
    if (left > 0) throw new Error('A member was not read to its end')
    await source.exactly((BLOCK - (head.bytes % BLOCK)) % BLOCK)
  }
  await source.expectZeros()
}

class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  async *next(bytes: number): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#fill())) throw backupDamaged()
      const part = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  async exactly(bytes: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    for await (const part of this.next(bytes)) parts.push(part)
    return Buffer.concat(parts)
  }

  /** To the end, so that the last bytes are checked as well. */
  async expectZeros(): Promise<void> {
    do {
      if (this.#rest.some((byte) => byte !== 0)) throw backupDamaged()
    } while (await this.#fill())
  }

  async #fill(): Promise<boolean> {
    const { done, value } = await this.#chunks.next()
    if (done) return false
    this.#rest = value
    return true
  }
}

function parseHead(block: Uint8Array): MemberHead {
  const bytes = Buffer.from(block)
  const field = (at: number, length: number): string => {
    const text = bytes.subarray(at, at + length)
    const end = text.indexOf(0)
    return text.toString('utf8', 0, end < 0 ? length : end)
  }
  const stated = octal(field(148, 8).trim())
  bytes.fill(' ', 148, 156)
  const size = octal(field(124, 12).trim())
  const isPlain = field(156, 1) === '0' && field(157, 100) === '' && field(257, 6) === 'ustar'
  if (stated !== checksum(bytes) || size === undefined || !isPlain) throw backupDamaged()
  const prefix = field(345, 155)
  return { name: prefix === '' ? field(0, 100) : `${prefix}/${field(0, 100)}`, bytes: size }
}

function octal(text: string): number | undefined {
  return /^[0-7]{1,11}$/.test(text) ? Number.parseInt(text, 8) : undefined
}
