/**
 * Servers of the two HTTP transports of the 2024 and 2025 revisions, by hand, behind the test's own outside world:
 * real TLS on loopback, reached through the real guarded fetch. Their tools misbehave as their names say.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { createEgress, type EgressParts } from '../../../src/egress/create-egress.ts'
import { openOutside, type Outside } from '../../../src/egress/test-outside.ts'
import type { ServerDefinition } from '../../../src/kernel/server-definition.ts'
import { define, type HouseOptions, openHouse, type TestHouse } from './direct-sandbox.ts'

interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: {
    readonly protocolVersion?: string
    readonly name?: string
    readonly arguments?: { readonly text?: string }
  }
}

export interface HttpServer {
  readonly listener: RequestListener
  /** Methods of all messages, in order. */
  readonly seen: string[]
  /** The known sessions by id; each handshake adds one. */
  readonly sessions: Map<string, ServerResponse | undefined>
}

const MIB = 'x'.repeat(2 ** 20)
const NAMES = ['echo', 'silent', 'huge', 'endless', 'deep', 'dies', 'half']
const tools = NAMES.map((name) => ({ name, description: name, inputSchema: { type: 'object' } }))

function resultOf({ method, params }: Message): object | undefined {
  if (method === 'initialize') {
    const { protocolVersion } = params ?? {}
    const serverInfo = { name: 'by hand', version: '1.0.0' }
    return { protocolVersion, capabilities: { tools: {} }, serverInfo }
  }
  if (method === 'ping') return {}
  if (method === 'tools/list') return { tools }
  const content = [{ type: 'text', text: params?.arguments?.text ?? '' }]
  return method === 'tools/call' ? { content } : undefined
}

function answerTo(message: Message): string {
  const result = resultOf(message)
  const error = { code: -32_601, message: `There is no ${message.method}` }
  return JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) })
}

const event = (data: string): string => `event: message\ndata: ${data}\n\n`

/** Whether the tool misbehaved instead of answering. */
function misbehave({ id, method, params }: Message, stream: ServerResponse): boolean {
  const name = method === 'tools/call' ? params?.name : undefined
  if (name === 'dies') stream.destroy()
  if (name === 'half') stream.write('event: message\ndata: {"jsonrpc"', () => stream.destroy())
  if (name === 'huge') stream.write(event(MIB.repeat(17)))
  if (name === 'endless') pour(stream)
  if (name === 'deep') {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    const result = `{"content":[],"structuredContent":{"a":${deep}}}`
    stream.write(event(`{"jsonrpc":"2.0","id":${id},"result":${result}}`))
  }
  return name !== undefined && name !== 'echo'
}

/** Lines of one event that never ends, as fast as the client reads: the blank line that ends an event never comes. */
function pour(stream: ServerResponse): void {
  while (!stream.destroyed && stream.write(`data: ${MIB}\n`));
  if (!stream.destroyed) stream.once('drain', () => pour(stream))
}

/** HTTP+SSE of 2024-11-05: one stream for all answers, and a URL to post to that the stream announces. */
export function createSseServer(): HttpServer {
  const seen: string[] = []
  const sessions: HttpServer['sessions'] = new Map()
  const post = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const stream = sessions.get(request.url?.split('?session=')[1] ?? '')
    if (!stream) return void response.writeHead(404).end()
    const message = JSON.parse(await text(request)) as Message
    seen.push(message.method)
    response.writeHead(202).end('Accepted')
    if (message.id === undefined || misbehave(message, stream)) return
    // In two writes: the blank line arrives separately.
    stream.write(`event: message\ndata: ${answerTo(message)}\n`)
    stream.write('\n')
  }
  const listener: RequestListener = (request, response) => {
    if (request.method === 'POST') void post(request, response)
    else greet(response)
  }
  const greet = (response: ServerResponse): void => {
    const session = randomUUID()
    sessions.set(
      session,
      response.once('close', () => sessions.delete(session)),
    )
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`event: endpoint\ndata: /messages?session=${session}\n\n`)
  }
  return { listener, seen, sessions }
}

/** Streamable HTTP of 2025-06-18, with sessions; every answer is a stream of its own. */
export function createStreamServer(): HttpServer {
  const seen: string[] = []
  const sessions: HttpServer['sessions'] = new Map()
  const post = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const message = JSON.parse(await text(request)) as Message
    seen.push(message.method)
    const session = message.method === 'initialize' ? randomUUID() : known(request)
    if (message.method === 'initialize') sessions.set(String(session), undefined)
    if (message.method === 'server/discover') return void response.writeHead(400).end()
    if (!sessions.has(String(session))) return void response.writeHead(404).end()
    if (message.id === undefined) return void response.writeHead(202).end()
    const headers = { 'content-type': 'text/event-stream', 'mcp-session-id': String(session) }
    response.writeHead(200, headers)
    if (!misbehave(message, response)) response.end(event(answerTo(message)))
  }
  const listener: RequestListener = (request, response) => {
    if (request.method === 'POST') void post(request, response)
    else if (request.method !== 'DELETE') response.writeHead(405).end()
    else response.writeHead(sessions.delete(String(known(request))) ? 200 : 404).end()
  }
  return { listener, seen, sessions }
}

function known({ headers }: IncomingMessage): string | string[] | undefined {
  return headers['mcp-session-id']
}

export function remote(more: Partial<ServerDefinition> = {}): ServerDefinition {
  const { command: _none, ...rest } = define('it', 'none', { transport: 'stream-http', args: [] })
  return { ...rest, url: 'https://allowed.example/mcp', ...more }
}

export interface RemoteHouse extends TestHouse {
  readonly outside: Outside
}

export async function openRemote(
  definition: ServerDefinition,
  answer: RequestListener,
  options: HouseOptions = {},
  changes: Partial<EgressParts> = {},
): Promise<RemoteHouse> {
  const outside = await openOutside()
  outside.answer = answer
  const egress = createEgress(outside.parts(changes))
  const house = await openHouse([definition], { egress, ...options })
  return {
    ...house,
    outside,
    async [Symbol.asyncDispose]() {
      await house[Symbol.asyncDispose]()
      await outside[Symbol.asyncDispose]()
    },
  }
}
