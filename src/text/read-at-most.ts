/**
 * Reads a stream of bytes up to a limit: at most the limit and one chunk are ever in memory. Opens nothing: the stream
 * is the caller's.
 */

type Bytes = AsyncIterable<Uint8Array>

/** The whole stream, or undefined if it is longer than `maxBytes`; the rest is then cancelled. */
export async function readAtMost(
  stream: Bytes | null,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream ?? []) {
    size += chunk.byteLength
    // Leaving the loop cancels the rest of the stream.
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export interface Beginning {
  readonly bytes: Buffer
  /** False if the stream was longer than `maxBytes`. */
  readonly isWhole: boolean
}

/**
 * The beginning of the stream, which is still read to its end: a process blocks for ever on output that is not read. A
 * stream error counts as the end.
 */
export async function readBeginning(stream: Bytes, maxBytes: number): Promise<Beginning> {
  const chunks: Uint8Array[] = []
  let left = maxBytes
  let isWhole = true
  try {
    for await (const chunk of stream) {
      isWhole &&= chunk.byteLength <= left
      if (left > 0) chunks.push(chunk.subarray(0, left))
      left -= Math.min(left, chunk.byteLength)
    }
  } catch {
    // The stream broke off: its beginning is the result.
  }
  return { bytes: Buffer.concat(chunks), isWhole }
}
