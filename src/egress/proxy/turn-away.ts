/** Answers a client with an HTTP error and closes the connection. */
import type { Duplex } from 'node:stream'

export type RefusalStatus = 400 | 403 | 429 | 502 | 503

const TITLES: Readonly<Record<RefusalStatus, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  429: 'Too Many Requests',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
}

/** Closing with unread bytes would reset the connection and lose the answer, so the proxy reads on for a moment. */
const LINGER_MS = 1000

/** Settles when the connection is closed. */
export async function turnAway(
  client: Duplex,
  status: RefusalStatus,
  reason: string,
): Promise<void> {
  if (client.closed) return
  const body = `${reason}\n`
  const closed = Promise.withResolvers<void>()
  client.once('close', closed.resolve)
  const timer = setTimeout(() => client.destroy(), LINGER_MS)
  client.end(
    `HTTP/1.1 ${status} ${TITLES[status]}\r\nContent-Type: text/plain\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  client.resume()
  await closed.promise
  clearTimeout(timer)
}
