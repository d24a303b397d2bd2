/**
 * The lines of a log, streamed over its files: never more than a chunk and a line in memory, however long the log. Only
 * the byte 0x0A ends a line. A missing file has no lines.
 */
import { createReadStream } from 'node:fs'
import { MAX_LINE_BYTES } from './audit-line.ts'
import { filesOf } from './log-files.ts'

export interface Line {
  /** Without the newline. Empty if the line is too long to be a record. */
  readonly bytes: Buffer
  readonly start: number
  /** The offset of the next line. */
  readonly end: number
  /** False for bytes after the last newline. */
  readonly whole: boolean
}

const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)

/** The lines that start at or after `from`, up to byte `to`. */
export async function* readLines(path: string, from: number, to: number): AsyncGenerator<Line> {
  // Starts one byte early: bytes before the first newline belong to a line that began before `from`.
  let start = Math.max(0, from - 1)
  let skip = from > 0
  let open: Buffer = NOTHING
  let dropped = 0
  for await (const chunk of readChunks(path, start, to)) {
    let rest = open.length > 0 ? Buffer.concat([open, chunk]) : chunk
    for (let at = rest.indexOf(NEWLINE); at !== -1; at = rest.indexOf(NEWLINE)) {
      const end = start + dropped + at + 1
      const bytes = dropped > 0 ? NOTHING : rest.subarray(0, at)
      if (!skip) yield { bytes, start, end, whole: true }
      rest = rest.subarray(at + 1)
      start = end
      dropped = 0
      skip = false
    }
    open = rest
    if (open.length > MAX_LINE_BYTES) {
      dropped += open.length
      open = NOTHING
    }
  }
  const end = start + dropped + open.length
  if (end > start && !skip) yield { bytes: dropped > 0 ? NOTHING : open, start, end, whole: false }
}

async function* readChunks(path: string, start: number, to: number): AsyncGenerator<Buffer> {
  const files = filesOf(path)
  for (const [at, file] of files.entries()) {
    // Only the last file grows. An older one is read to its end, whatever the next one's name says.
    const next = files[at + 1]
    if (next && next.start <= start) continue
    if (file.start >= to) return
    const end = next && next.start < to ? Infinity : to - file.start
    yield* readFileChunks(file.path, Math.max(0, start - file.start), end)
  }
}

async function* readFileChunks(path: string, start: number, to: number): AsyncGenerator<Buffer> {
  if (to <= start) return
  const stream = createReadStream(path, { start, end: to - 1, highWaterMark: 262_144 })
  try {
    for await (const chunk of stream) yield chunk as Buffer
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
