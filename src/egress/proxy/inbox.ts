/**
 * The bytes that a client sends before its tunnel is established, buffered until they are parsed. Bounded in bytes, in
 * chunks and in time. The stream is not paused between two reads: pausing and resuming a socket costs more than
 * everything else here.
 */
import type { Duplex } from 'node:stream'

export interface ReadBounds {
  readonly bytes: number
  readonly ms: number
}

export type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'gave-up'; readonly reason: 'too long' | 'too slow' | 'closed' }

type Answer<T> = Exclude<T, { readonly kind: 'more' }>

export interface Inbox {
  /** Waits until the parser returns something other than `more`; it gets all bytes from the start, up to the bound. */
  until<T extends { readonly kind: string }>(
    parse: (bytes: Buffer) => T,
    bounds: ReadBounds,
  ): Promise<Read<Answer<T>>>
  /** Drops the first bytes. */
  skip(length: number): void
  /** Detaches from the stream and returns the unread bytes. */
  release(): Buffer
}

/** All bytes are parsed again for every chunk, which is cheap only for few chunks. */
const MOST_PIECES = 64
const MOST_UNREAD = 65_536

export function openInbox(stream: Duplex): Inbox {
  let bytes: Buffer = Buffer.alloc(0)
  let pieces = 0
  let isClosed = stream.closed
  let look: (() => void) | undefined
  const onData = (piece: Buffer): void => {
    bytes = bytes.length === 0 ? piece : Buffer.concat([bytes, piece])
    pieces += 1
    look?.()
    if (bytes.length > MOST_UNREAD) stream.pause()
  }
  const onClosed = (): void => {
    isClosed = true
    look?.()
  }
  stream.on('data', onData).once('end', onClosed).once('close', onClosed)
  return {
    async until<T extends { readonly kind: string }>(
      parse: (bytes: Buffer) => T,
      bounds: ReadBounds,
    ): Promise<Read<Answer<T>>> {
      const answer = Promise.withResolvers<Read<Answer<T>>>()
      const giveUp = (reason: 'too long' | 'too slow' | 'closed'): void =>
        answer.resolve({ kind: 'gave-up', reason })
      const timer = setTimeout(() => giveUp('too slow'), bounds.ms)
      pieces = 0
      look = () => {
        const value = parse(bytes.subarray(0, bounds.bytes))
        if (value.kind !== 'more') answer.resolve({ kind: 'read', value: value as Answer<T> })
        else if (bytes.length >= bounds.bytes || pieces >= MOST_PIECES) giveUp('too long')
        else if (isClosed) giveUp('closed')
      }
      look()
      try {
        return await answer.promise
      } finally {
        look = undefined
        clearTimeout(timer)
      }
    },
    skip(length) {
      bytes = bytes.subarray(length)
    },
    release() {
      stream.off('data', onData).off('end', onClosed).off('close', onClosed)
      return bytes
    },
  }
}
