/**
 * A long answer of server-sent events, on which a client is told what belongs to none of its requests. A client that does
 * not read, or that was removed, loses the stream within a second; nothing is kept for one that is gone. A stream with
 * unread bytes is destroyed: one that is only ended stays open for as long as its client does not read.
 */
import type { HttpResponse } from './http-request.ts'
import type { JsonObject } from '../text/json.ts'

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const
const MOST_UNREAD = 16 * 2 ** 20
const LOOK_MS = 1000
/** The end of a stream has this long to be written. */
const END_MS = 250
/** Programs and proxies in between give up a connection that is silent for longer. */
const SILENT_LOOKS = 15

export interface EventStream {
  send(message: JsonObject): void
  /** Settles when the client is gone, or was sent away. */
  readonly closed: Promise<void>
  /** Ends it after its last event. A client that does not read that within a second loses it. */
  close(): void
}

interface StreamOptions {
  /** Looked at every second, for what nobody announces: a token that ran out, a session that another kernel closed. */
  readonly isWelcome: () => Promise<boolean>
  /** Aborts when the client is removed. */
  readonly revoked: AbortSignal
  /** Written at once. */
  readonly first?: string
}

export function openEventStream(
  response: HttpResponse,
  { isWelcome, revoked, first = ': open\n\n' }: StreamOptions,
): EventStream {
  const closed = Promise.withResolvers<void>()
  let looks = 0
  const end = (withinMs: number): void => {
    response.end()
    setTimeout(() => response.destroy(), withinMs).unref()
  }
  const cut = (): void => {
    if (response.writableLength > 0) response.destroy()
    else end(END_MS)
  }
  const write = (chunk: string): void => {
    if (response.writableEnded) return // it still waits for its client to read
    response.write(chunk)
    if (response.writableLength > MOST_UNREAD) response.destroy()
  }
  const timer = setInterval(() => {
    looks += 1
    if (looks % SILENT_LOOKS === 0) write(': still here\n\n')
    // A store that cannot be asked says nothing about the client: the next look does.
    isWelcome().then(
      (isIt) => isIt || cut(),
      () => undefined,
    )
  }, LOOK_MS)
  timer.unref()
  revoked.addEventListener('abort', cut)
  response.once('close', () => {
    clearInterval(timer)
    revoked.removeEventListener('abort', cut)
    closed.resolve()
  })
  response.writeHead(200, HEADERS)
  write(first)
  if (revoked.aborted) cut()
  return {
    send: (message) => write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    closed: closed.promise,
    close: () => end(LOOK_MS),
  }
}
