/**
 * A client that costs little: JSON-RPC by hand over Streamable HTTP, the older event stream, or lines. An SDK's client
 * would take more time than the gateways that are measured with it. Legacy era: every peer speaks it.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request as post } from 'node:http'
import { LineReader } from '../../src/text/line-reader.ts'

interface Rpc {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

export interface Link extends Disposable {
  request(method: string, params: object): Promise<unknown>
}

export interface Tool {
  readonly name: string
}

const VERSION = '2025-06-18'
const LIMITS = { lineBytes: 64 * 2 ** 20, floodBytes: 256 * 2 ** 20 }

export async function handshake(link: Link, notify: () => Promise<unknown>): Promise<void> {
  await link.request('initialize', {
    protocolVersion: VERSION,
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  await notify()
}

const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })

function resultOf({ result, error }: Rpc): unknown {
  if (error) throw new Error(`${error.code} ${error.message}`)
  return result
}

/** Streamable HTTP: an answer is plain JSON or an event stream with one event. */
export async function openHttpLink(url: string, token?: string): Promise<Link> {
  const agent = new Agent({ keepAlive: true })
  let session: string | undefined
  let last = 0
  const send = async (body: string): Promise<string> => {
    const sent = post(url, {
      method: 'POST',
      agent,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': VERSION,
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(session !== undefined && { 'Mcp-Session-Id': session }),
      },
    })
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const id = response.headers['mcp-session-id']
    if (typeof id === 'string') session = id
    const text = Buffer.concat((await response.toArray()) as Buffer[]).toString()
    if ((response.statusCode ?? 500) >= 400)
      throw new Error(`HTTP ${response.statusCode}: ${text.slice(0, 200)}`)
    return text
  }
  const link: Link = {
    async request(method, params) {
      last += 1
      const text = await send(JSON.stringify({ jsonrpc: '2.0', id: last, method, params }))
      return resultOf(JSON.parse(text.startsWith('{') ? text : answerIn(text)) as Rpc)
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
  await handshake(link, () => send(INITIALIZED))
  return link
}

/** The last event with data is the answer. */
function answerIn(events: string): string {
  const lines = events.split('\n').filter((line) => line.startsWith('data:') && line.length > 6)
  return lines.at(-1)?.slice(5) ?? ''
}

/** Requests that wait for their answer, matched by id. */
class Waiting {
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>()
  #last = 0

  open(): { readonly id: number; readonly answer: Promise<unknown> } {
    this.#last += 1
    const call = Promise.withResolvers<unknown>()
    // A request that could not be sent has nobody who waits for its answer.
    call.promise.catch(() => undefined)
    this.#calls.set(this.#last, call)
    return { id: this.#last, answer: call.promise }
  }

  take(message: Rpc): void {
    const call = message.id === undefined ? undefined : this.#calls.get(message.id)
    if (!call || message.method !== undefined) return
    this.#calls.delete(message.id ?? 0)
    Promise.try(resultOf, message).then(call.resolve, call.reject)
  }

  fail(error: Error): void {
    for (const call of this.#calls.values()) call.reject(error)
    this.#calls.clear()
  }
}

/** Lines over a program's standard input and output. The program is ended by its owner. */
export async function openLineLink({ stdin, stdout }: ChildProcess): Promise<Link> {
  const waiting = new Waiting()
  const reader = new LineReader(LIMITS, {
    line: (text) => void (text.startsWith('{') && waiting.take(JSON.parse(text) as Rpc)),
    oversize: () => undefined,
    flood: () => undefined,
  })
  stdout?.on('data', (chunk: Buffer) => reader.push(chunk))
  stdout?.on('end', () => waiting.fail(new Error('The program ended')))
  stdin?.on('error', () => undefined)
  const link: Link = {
    request(method, params) {
      const { id, answer } = waiting.open()
      stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      return answer
    },
    [Symbol.dispose]: () => stdin?.end(),
  }
  await handshake(link, async () => stdin?.write(`${INITIALIZED}\n`))
  return link
}

/** HTTP+SSE of 2024-11-05: answers come on one stream, requests go to the address that it names first. */
export async function openSseLink(url: string, token?: string): Promise<Link> {
  const agent = new Agent({ keepAlive: true })
  const access = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  const waiting = new Waiting()
  const named = Promise.withResolvers<string>()
  let event = ''
  const take = (line: string): void => {
    if (line.startsWith('event:')) event = line.slice(6).trim()
    else if (line.startsWith('data:') && event === 'endpoint') named.resolve(line.slice(5).trim())
    else if (line.startsWith('data:')) waiting.take(JSON.parse(line.slice(5)) as Rpc)
  }
  const reader = new LineReader(LIMITS, {
    line: take,
    oversize: () => undefined,
    flood: () => undefined,
  })
  const stream = post(url, { headers: { Accept: 'text/event-stream', ...access } })
  stream.end()
  const [events] = (await once(stream, 'response')) as [IncomingMessage]
  if (events.statusCode !== 200) throw new Error(`HTTP ${events.statusCode}`)
  events.on('data', (chunk: Buffer) => reader.push(chunk))
  events.on('close', () => {
    const gone = new Error('The stream ended')
    named.reject(gone)
    waiting.fail(gone)
  })
  const address = new URL(await named.promise, url)
  const send = async (body: string): Promise<void> => {
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      ...access,
    }
    const sent = post(address, { method: 'POST', agent, headers })
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    if ((response.statusCode ?? 500) >= 400) throw new Error(`HTTP ${response.statusCode}`)
  }
  const link: Link = {
    async request(method, params) {
      const { id, answer } = waiting.open()
      await send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      return await answer
    },
    [Symbol.dispose]() {
      stream.destroy()
      agent.destroy()
    },
  }
  await handshake(link, () => send(INITIALIZED))
  return link
}
