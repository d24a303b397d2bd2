/** Reads a tar archive from a stream, entry by entry (POSIX ustar and pax, GNU long names). Bounded; trusts nothing. */
import { ImageError } from './image-error.ts'

export interface TarEntry {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'hard-link' | 'special'
  /** Of a link. */
  readonly target: string
  readonly size: number
  readonly isProgram: boolean
}

/** Reads the content of the entry in pieces; what is left of it is skipped. */
export type Content = () => Promise<Buffer | undefined>

const BLOCK = 512
const LARGEST_NAMES = 64 * 1024
const KINDS: Readonly<Record<string, TarEntry['kind']>> = {
  '': 'file',
  '0': 'file',
  '7': 'file',
  '1': 'hard-link',
  '2': 'link',
  '3': 'special',
  '4': 'special',
  '5': 'folder',
  '6': 'special',
}

function damaged(): ImageError {
  return new ImageError('bad-package', 'one of its layers is damaged')
}

export async function readTar(
  stream: AsyncIterable<Uint8Array>,
  take: (entry: TarEntry, content: Content) => Promise<void>,
): Promise<void> {
  const input = createInput(stream)
  let more: Names = {}
  for (let head = await input.whole(BLOCK); head; head = await input.whole(BLOCK)) {
    if (head.every((byte) => byte === 0)) break
    const facts = readHead(head)
    const { type, size } = facts
    if (type === 'x' || type === 'L' || type === 'K') {
      more = { ...more, ...(await readNames(input, type, size)) }
    } else if (type === 'g') {
      await input.skip(padded(size))
    } else {
      await readEntry(input, merged(facts, more), take)
      more = {}
    }
  }
  await input.drain()
}

interface Names {
  readonly name?: string
  readonly target?: string
  readonly size?: number
}

interface Head extends Required<Names> {
  readonly type: string
  readonly mode: number
}

function readHead(head: Buffer): Head {
  const sum = head.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (sum !== number(head.subarray(148, 156))) throw damaged()
  const isUstar = head.toString('latin1', 257, 262) === 'ustar'
  const prefix = isUstar && head[263] === 0x30 ? text(head.subarray(345, 500)) : ''
  const name = text(head.subarray(0, 100))
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    mode: number(head.subarray(100, 108)),
    size: number(head.subarray(124, 136)),
    type: text(head.subarray(156, 157)),
    target: text(head.subarray(157, 257)),
  }
}

function merged(head: Head, more: Names): Head {
  return { ...head, ...more }
}

async function readEntry(
  input: Input,
  { name, target, size, type, mode }: Head,
  take: (entry: TarEntry, content: Content) => Promise<void>,
): Promise<void> {
  const kind = KINDS[type]
  if (kind === undefined)
    throw new ImageError('bad-package', 'a layer has an entry of an unknown kind')
  let left = size
  const content: Content = async () => {
    if (left === 0) return undefined
    const chunk = await input.some(left)
    left -= chunk.length
    return chunk
  }
  await take({ name, kind, target, size, isProgram: (mode & 0o100) !== 0 }, content)
  await input.skip(left + padded(size) - size)
}

/** `x`: pax records; `L` and `K`: a long name of GNU tar. */
async function readNames(input: Input, type: string, size: number): Promise<Names> {
  if (size > LARGEST_NAMES) throw damaged()
  const bytes = await input.whole(padded(size))
  if (!bytes) throw damaged()
  const content = bytes.subarray(0, size)
  if (type === 'L') return { name: text(content) }
  return type === 'K' ? { target: text(content) } : readPax(content)
}

/** Records of the form `LENGTH KEY=VALUE\n`, the length in bytes. */
function readPax(content: Buffer): Names {
  const found: { name?: string; target?: string; size?: number } = {}
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const length = Number(content.toString('latin1', at, space))
    if (space < 0 || !Number.isInteger(length) || length < 5 || at + length > content.length) {
      throw damaged()
    }
    const record = content.subarray(space + 1, at + length - 1)
    const equals = record.indexOf(0x3d)
    const key = record.toString('latin1', 0, equals)
    const value = record.subarray(equals + 1)
    if (key === 'path') found.name = text(value)
    if (key === 'linkpath') found.target = text(value)
    if (key === 'size') found.size = digits(value.toString('latin1'), 10)
    if (key.startsWith('GNU.sparse'))
      throw new ImageError('bad-package', 'a layer has sparse files')
    at += length
  }
  return found
}

const DECODER = new TextDecoder('utf-8', { fatal: true })

function text(field: Buffer): string {
  const end = field.indexOf(0)
  try {
    return DECODER.decode(end < 0 ? field : field.subarray(0, end))
  } catch {
    throw new ImageError('bad-package', 'a name in a layer is not UTF-8')
  }
}

/** Octal, or binary where the first bit is set. */
function number(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) === 0) return digits(text(field).trim() || '0', 8)
  const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, (field[0] ?? 0) & 0x7f)
  if (!Number.isSafeInteger(value)) throw damaged()
  return value
}

function digits(written: string, base: 8 | 10): number {
  const value = /^[0-9]+$/.test(written) ? Number.parseInt(written, base) : Number.NaN
  if (!Number.isSafeInteger(value) || value < 0) throw damaged()
  return value
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK
}

interface Input {
  /** Exactly so many bytes; undefined at the end of the stream. */
  whole(bytes: number): Promise<Buffer | undefined>
  /** At least one byte, at most so many. */
  some(most: number): Promise<Buffer>
  skip(bytes: number): Promise<void>
  drain(): Promise<void>
}

function createInput(stream: AsyncIterable<Uint8Array>): Input {
  const chunks = stream[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const fill = async (): Promise<boolean> => {
    while (rest.length === 0) {
      const next = await chunks.next()
      if (next.done === true) return false
      rest = Buffer.from(next.value)
    }
    return true
  }
  const some = async (most: number): Promise<Buffer> => {
    if (!(await fill())) throw damaged()
    const taken = rest.subarray(0, most)
    rest = rest.subarray(taken.length)
    return taken
  }
  return {
    some,
    async whole(bytes) {
      if (bytes === 0) return Buffer.alloc(0)
      if (!(await fill())) return undefined
      const parts: Buffer[] = []
      for (let left = bytes; left > 0; left -= parts.at(-1)?.length ?? 0)
        parts.push(await some(left))
      return parts.length === 1 ? parts[0] : Buffer.concat(parts)
    },
    async skip(bytes) {
      for (let left = bytes; left > 0; ) left -= (await some(left)).length
    },
    async drain() {
      for (; await fill(); ) rest = Buffer.alloc(0)
    },
  }
}
