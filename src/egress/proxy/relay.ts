/**
 * Copies bytes both ways between two streams until both are closed. Applies back-pressure, passes a half-close on, and
 * an error on either side ends both. Never looks at the bytes.
 */
import type { Duplex } from 'node:stream'

export interface Carried {
  readonly up: number
  readonly down: number
}

export interface RelayOptions {
  /** Bytes that the client has sent already. */
  readonly first: Buffer
  /** Both streams are closed after this time without traffic. */
  readonly idleMs: number
  /** Called with the size of each piece from upstream. */
  readonly onDown?: (bytes: number) => void
  /** Called once, with the counters that grow while the connection lasts. */
  readonly onOpen?: (carried: Carried) => void
}

/** Settles when both streams are closed; never rejects. */
export async function relay(
  client: Duplex,
  upstream: Duplex,
  { first, idleMs, onDown, onOpen }: RelayOptions,
): Promise<Carried> {
  upstream.write(first) // before all else, so that the host can start at once
  const carried = { up: first.length, down: 0 }
  onOpen?.(carried)
  const destroyBoth = (): void => {
    client.destroy()
    upstream.destroy()
  }
  const idle = setTimeout(destroyBoth, idleMs)
  const closed = Promise.all([untilClosed(client, upstream), untilClosed(upstream, client)])
  carry(client, upstream, (bytes) => {
    carried.up += bytes
    idle.refresh()
  })
  carry(upstream, client, (bytes) => {
    carried.down += bytes
    onDown?.(bytes)
    idle.refresh()
  })
  sendAtOnce(client)
  await closed
  clearTimeout(idle)
  return carried
}

function carry(from: Duplex, to: Duplex, count: (bytes: number) => void): void {
  from.on('data', (chunk: Buffer) => {
    count(chunk.length)
    if (to.write(chunk)) return
    from.pause()
    to.once('drain', () => from.resume())
  })
  if (from.readableEnded) to.end()
  else from.once('end', () => to.end())
  from.resume()
}

/** Disables Nagle's algorithm, so that small writes are sent without delay. */
function sendAtOnce(stream: Duplex): void {
  if ('setNoDelay' in stream && typeof stream.setNoDelay === 'function') stream.setNoDelay(true)
}

/** A stream that closes before both directions ended has lost data: the other one must not look complete. */
async function untilClosed(stream: Duplex, other: Duplex): Promise<void> {
  const closed = Promise.withResolvers<void>()
  const onClose = (): void => {
    if (!stream.readableEnded || !stream.writableFinished) other.destroy()
    closed.resolve()
  }
  if (stream.closed) onClose()
  else stream.once('close', onClose)
  await closed.promise
}
