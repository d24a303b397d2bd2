/**
 * The load of each client over HTTP: open requests, open streams, and the bytes of its messages. A request counts from its head on,
 * before its body is read, so one client can neither take every connection of the listener nor fill the memory. All of
 * it is cut off when the client is removed.
 */
import { BriefSet } from '../text/brief-map.ts'
import { cutUnread, LARGE_UNREAD } from './cut-unread.ts'
import { type HttpRequest, type HttpResponse, readBody } from './http-request.ts'

/** Of one client: half of the connections that are open at most, so that others still get in. */
const MOST_OPEN = 256
/** On top, for answers to questions, cancellations and the ends of sessions: they end what is under way. */
const MOST_ENDING = 32
const LARGEST_BODY = 16 * 2 ** 20
/** Of one client: bodies that are being read, or whose requests are under way. */
const MOST_BYTES = 8 * LARGEST_BODY

/** One listener for all that is open: adding and removing one for each takes as long as judging a call. */
export class HttpLoad {
  readonly #byClient = new WeakMap<AbortSignal, ClientLoad>()

  of(revoked: AbortSignal): ClientLoad {
    const known = this.#byClient.get(revoked)
    if (known) return known
    const load = new ClientLoad()
    this.#byClient.set(revoked, load)
    revoked.addEventListener('abort', () => load.cut(), { once: true })
    return load
  }
}

class ClientLoad {
  readonly #answers = new BriefSet<HttpResponse>()
  #open = 0
  #bytes = 0

  /** Undefined if the client has too much open, or is gone already. */
  enter(response: HttpResponse): Place | undefined {
    if (response.destroyed || this.#open >= MOST_OPEN + MOST_ENDING) return undefined
    const place = new Place(this, response, this.#open < MOST_OPEN)
    this.#open += 1
    this.#answers.add(response)
    return place
  }

  /** False if these bytes would be too many. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > MOST_BYTES) return false
    this.#bytes += bytes
    return true
  }

  closed(response: HttpResponse): void {
    this.#answers.delete(response)
  }

  leave(bytes: number): void {
    this.#open -= 1
    this.#bytes -= bytes
  }

  /** After the client was sent something that it has not read yet. */
  bound({ writableLength }: HttpResponse): void {
    if (writableLength > LARGE_UNREAD) cutUnread(this.#answers.values())
  }

  cut(): void {
    for (const answer of this.#answers.values()) answer.destroy()
  }
}

export type Body =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'refused'; readonly status: number; readonly why: string }

/** One request in the count of its client, up to the end of its answer and of its work. */
export class Place {
  /** False if the client has so much open that only messages are taken that end something. */
  readonly mayAsk: boolean
  readonly #load: ClientLoad
  readonly #response: HttpResponse
  #bytes = 0
  #holders = 1

  constructor(load: ClientLoad, response: HttpResponse, mayAsk: boolean) {
    this.#load = load
    this.#response = response
    this.mayAsk = mayAsk
    response.once('close', () => {
      load.closed(response)
      this.#release()
    })
  }

  async read(request: HttpRequest): Promise<Body> {
    let isTooMuch = false
    const bytes = await readBody(request, LARGEST_BODY, (length) => {
      isTooMuch ||= !this.#load.take(length)
      if (!isTooMuch) this.#bytes += length
      return !isTooMuch
    })
    if (bytes) return { kind: 'whole', bytes }
    if (isTooMuch) return { kind: 'refused', status: 429, why: 'Too many bytes are under way' }
    return { kind: 'refused', status: 413, why: 'The message is longer than 16 MiB' }
  }

  /** For a call whose answer comes on another stream. */
  hold(): Disposable {
    this.#holders += 1
    return { [Symbol.dispose]: () => this.#release() }
  }

  /** After something was sent: a client that leaves too much unread loses its oldest answers. */
  sent(): void {
    this.#load.bound(this.#response)
  }

  #release(): void {
    this.#holders -= 1
    if (this.#holders === 0) this.#load.leave(this.#bytes)
  }
}
