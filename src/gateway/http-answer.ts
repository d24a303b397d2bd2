/**
 * The answer to one POST: plain JSON, unless something has to be sent before it. Then it becomes an event stream, if the
 * client takes one; a client that does not is answered in one piece.
 */
import { headerOf, type HttpRequest, type HttpResponse } from './http-request.ts'
import type { JsonObject } from '../text/json.ts'

const SAFE = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const

/** Before the answer, which may be larger. */
const MOST_UNREAD = 16 * 2 ** 20

export class HttpAnswer {
  readonly #response: HttpResponse
  #headers: Readonly<Record<string, string>> = SAFE
  readonly #takesEvents: boolean

  constructor(request: Pick<HttpRequest, 'headers'>, response: HttpResponse) {
    this.#response = response
    this.#takesEvents = (headerOf(request.headers, 'accept') ?? '').includes('text/event-stream')
  }

  addHeaders(headers: Readonly<Record<string, string>>): void {
    this.#headers = { ...this.#headers, ...headers }
  }

  /** Undefined if the client takes no events. */
  get notify(): ((message: JsonObject) => void) | undefined {
    return this.#takesEvents ? (message) => this.#tell(message) : undefined
  }

  end(message: JsonObject, status = 200): void {
    if (this.#response.headersSent) {
      this.#event(message)
      this.#response.end()
      return
    }
    const body = JSON.stringify(message)
    this.#response.writeHead(status, {
      ...this.#headers,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    })
    this.#response.end(body)
  }

  /** For a request that was cancelled: its stream ends without an answer. */
  endUnanswered(): void {
    if (this.#response.headersSent) this.#response.end()
    else if (this.#takesEvents) {
      this.#response.writeHead(200, { ...this.#headers, 'Content-Type': 'text/event-stream' }).end()
    } else this.accept()
  }

  /** For a message that takes no answer. */
  accept(): void {
    this.#response.writeHead(202, this.#headers).end()
  }

  refuse(status: number, why: string, headers: Readonly<Record<string, string>> = {}): void {
    const body = JSON.stringify({ error: why })
    this.#response
      .writeHead(status, { ...this.#headers, ...headers, 'Content-Type': 'application/json' })
      .end(body)
  }

  #tell(message: JsonObject): void {
    if (this.#response.writableEnded) return // a write after the end is an unhandled error event
    this.#event(message)
    // A client that never reads loses its connection, which cancels the call.
    if (this.#response.writableLength > MOST_UNREAD) this.#response.destroy()
  }

  #event(message: JsonObject): void {
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, { ...this.#headers, 'Content-Type': 'text/event-stream' })
    }
    this.#response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
  }
}
