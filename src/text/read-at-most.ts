/**
 * Reads a stream of bytes up to a limit. However much comes, no more than the limit and one chunk is ever held. Opens
 * nothing: the stream is the caller's.
 */

type Bytes = AsyncIterable<Uint8Array>

/** The whole stream, or undefined where it is longer than `maxBytes`; the rest of it is cancelled then. */
export async function readAtMost(
  stream: Bytes | null,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream ?? []) {
    size += chunk.byteLength
    // Leaving the loop cancels the rest.
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export interface Beginning {
  readonly bytes: Buffer
  /** False where more came than was kept. */
  readonly isWhole: boolean
}

/**
 * The beginning of the stream, which is read to its end all the same: a process whose output nobody takes would wait
 * for ever. A stream that breaks off has ended.
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
    // Broke off.
  }
  return { bytes: Buffer.concat(chunks), isWhole }
}
