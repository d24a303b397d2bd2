/** Reads a stream to its end and keeps the beginning of it. However much comes, no more than the limit is held. */
import type { Readable } from 'node:stream'

export interface Collected {
  readonly text: string
  /** False where more came than was kept. */
  readonly isWhole: boolean
}

/** A stream that breaks off has ended. */
export function collect(stream: Readable, mostBytes: number): Promise<Collected> {
  const chunks: Buffer[] = []
  let kept = 0
  let isWhole = true
  stream.on('data', (chunk: Buffer) => {
    const room = mostBytes - kept
    isWhole &&= chunk.length <= room
    if (room > 0) chunks.push(chunk.subarray(0, room))
    kept += Math.min(room, chunk.length)
  })
  return new Promise((resolve) => {
    const finish = (): void => resolve({ text: Buffer.concat(chunks).toString(), isWhole })
    stream.once('close', finish).once('end', finish).once('error', finish)
  })
}
