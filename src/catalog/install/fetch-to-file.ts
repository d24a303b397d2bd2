/**
 * Writes what is fetched to a new file while it comes, with its hash. Each piece is written at once: a stream that meets
 * a full disk between two pieces would be waited for without end. Only for programs inside the install sandbox.
 */
import { createHash } from 'node:crypto'
import { closeSync, openSync, writeFileSync } from 'node:fs'

export interface FetchedFile<T> {
  readonly answer: T
  readonly sha256: string
  readonly bytes: number
}

interface Place {
  readonly target: string
  readonly mostBytes: number
  /** The error that ends the fetch at the first byte too many. */
  readonly tooMuch: () => Error
}

export async function fetchToFile<T>(
  { target, mostBytes, tooMuch }: Place,
  fetch: (take: (chunk: Buffer) => void) => Promise<T>,
): Promise<FetchedFile<T>> {
  const sum = createHash('sha256')
  const file = openSync(target, 'w', 0o600)
  let bytes = 0
  const take = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes > mostBytes) throw tooMuch()
    sum.update(chunk)
    writeFileSync(file, chunk)
  }
  try {
    const answer = await fetch(take)
    return { answer, sha256: sum.digest('hex'), bytes }
  } finally {
    closeSync(file)
  }
}

const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT'])

export function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && FULL.has(error.code)
}
