/** Streamable HTTP of 2025-03-26 and later: one POST per message, and a GET for what belongs to no request. */
import { type IncomingMessage, request as open } from 'node:http'
import { type OpenWire, parseRpc, readEvents, type Rpc, type Taker, type Wire } from './wire.ts'

export interface HttpTarget {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

export function httpWire(target: HttpTarget): OpenWire {
  return async (taker) => new HttpWire(target, taker)
}

class HttpWire implements Wire {
  readonly #target: HttpTarget
  readonly #taker: Taker
  readonly #ended = new AbortController()
  #session: string | undefined
  #version: string | undefined

  constructor(target: HttpTarget, taker: Taker) {
    this.#target = target
    this.#taker = taker
  }

  async send(message: Rpc): Promise<void> {
    const body = JSON.stringify(message)
    const response = await this.#open('POST', 'application/json, text/event-stream', body)
    const session = response.headers['mcp-session-id']
    if (typeof session === 'string') this.#session = session
    void this.#read(response, message).catch((error: unknown) =>
      this.#taker.failed(message.id, `the answer broke off: ${String(error)}`),
    )
  }

  async ready(): Promise<void> {
    const response = await this.#open('GET', 'text/event-stream').catch(() => undefined)
    if (!response) return
    if (response.statusCode !== 200) {
      response.resume()
      return
    }
    void readEvents(response, (_name, data) => this.#take(data)).catch(() => undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#session !== undefined && !this.#ended.signal.aborted) {
      const ended = await this.#open('DELETE', '*/*').catch(() => undefined)
      ended?.resume()
    }
    this.#ended.abort()
  }

  async #open(method: string, accept: string, body?: string): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const sent = open(this.#target.url, {
      method,
      agent: false,
      signal: this.#ended.signal,
      headers: {
        Accept: accept,
        ...(body !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
        }),
        ...(this.#session !== undefined && { 'Mcp-Session-Id': this.#session }),
        ...(this.#version !== undefined && { 'MCP-Protocol-Version': this.#version }),
        ...this.#target.headers,
      },
    })
    sent.on('error', reject)
    sent.on('response', resolve)
    sent.end(body)
    return await promise
  }

  async #read(response: IncomingMessage, { id, method }: Rpc): Promise<void> {
    const isRequest = id !== undefined && method !== undefined
    if (response.headers['content-type']?.startsWith('text/event-stream')) {
      await readEvents(response, (_name, data) => this.#take(data))
      if (isRequest) this.#taker.failed(id, 'the stream ended without an answer')
      return
    }
    const text = Buffer.concat((await response.toArray()) as Buffer[]).toString()
    const rpc = parseRpc(text)
    if (isRequest && rpc?.id === id) this.#take(text)
    else if (isRequest) {
      this.#taker.failed(id, `HTTP ${response.statusCode}: ${text.slice(0, 200)}`)
    }
  }

  #take(text: string): void {
    const rpc = parseRpc(text)
    if (!rpc) return
    const version = rpc.result?.['protocolVersion']
    if (typeof version === 'string') this.#version ??= version
    this.#taker.message(rpc)
  }
}
