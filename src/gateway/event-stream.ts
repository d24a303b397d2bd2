/**
 * A long answer of server-sent events, on which a client is told what belongs to none of its requests. A client that does
 * not read, or that was removed, loses the stream within a second; nothing is kept for one that is gone.
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
/** Programs and proxies in between give up a connection that is silent for longer. */
const SILENT_LOOKS = 15

export interface EventStream {
  send(message: JsonObject): void
  /** Settles when the client is gone, or was sent away. */
  readonly closed: Promise<void>
  close(): void
}

export function openEventStream(
  response: HttpResponse,
  isWelcome: () => Promise<boolean>,
  first: string = ': open\n\n',
): EventStream {
  const closed = Promise.withResolvers<void>()
  let looks = 0
  const write = (chunk: string): void => {
    response.write(chunk)
    if (response.writableLength > MOST_UNREAD) response.destroy()
  }
  const timer = setInterval(() => {
    looks += 1
    if (looks % SILENT_LOOKS === 0) write(': still here\n\n')
    // A store that cannot be asked says nothing about the client: the next look does.
    isWelcome().then(
      (isIt) => isIt || response.end(),
      () => undefined,
    )
  }, LOOK_MS)
  timer.unref()
  response.once('close', () => {
    clearInterval(timer)
    closed.resolve()
  })
  response.writeHead(200, HEADERS)
  write(first)
  return {
    send: (message) => write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    closed: closed.promise,
    close: () => void response.end(),
  }
}
