/** A small gateway of the suite's own, in this process, that does one thing wrong if it is told to. For tests of the checks. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Adapter, Backend, ClientName, Gateway } from '../adapters/adapter.ts'
import { httpWire } from '../client/wire-http.ts'
import { parseRpc, type Rpc } from '../client/wire.ts'
import type { Answer, Fault } from './fault.ts'
import { type Calls, RelaySession } from './relay-session.ts'

const VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25']
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
}

interface Open {
  readonly owner: string
  readonly session: RelaySession
  readonly calls: Calls
  stream: ServerResponse | undefined
}

export function relayAdapter(fault: Fault = {}): Adapter {
  return { name: 'relay', open: async (backends) => await openRelay(backends, fault) }
}

async function openRelay(backends: readonly Backend[], fault: Fault): Promise<Gateway> {
  const relay = new Relay(backends, fault)
  const server = createServer((request, response) => void relay.serve(request, response))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  relay.port = (server.address() as AddressInfo).port
  const url = `http://127.0.0.1:${relay.port}/mcp`
  const http = (client: ClientName) => ({ url, headers: { Authorization: `Bearer ${client}` } })
  return {
    wire: (client) => httpWire(http(client)),
    clients: 'principals',
    http,
    async [Symbol.asyncDispose]() {
      relay[Symbol.dispose]()
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

class Relay implements Disposable {
  port = 0
  readonly #backends: readonly Backend[]
  readonly #fault: Fault
  readonly #sessions = new Map<string, Open>()
  /** Calls and streams of all sessions together: used in the place of each session's own where the fault says so. */
  readonly #allCalls: Calls = new Map()
  readonly #allWaiting = new Map<unknown, ServerResponse>()

  constructor(backends: readonly Backend[], fault: Fault) {
    this.#backends = backends
    this.#fault = fault
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = this.#guard(request)
    if (refused !== undefined) return void response.writeHead(refused).end()
    const body = Buffer.concat((await request.toArray()) as Buffer[]).toString()
    const open = this.#sessionOf(request)
    if (request.method === 'GET') return this.#listen(open, response)
    if (request.method === 'DELETE') {
      open?.session[Symbol.dispose]()
      return void response.writeHead(204).end()
    }
    const rpc = parseRpc(body)
    if (!rpc) return void response.writeHead(this.#fault.lacks === 'headers' ? 200 : 400).end()
    if (rpc.method === 'initialize') return this.#begin(rpc, ownerOf(request), response)
    if (!open) return void response.writeHead(404).end()
    await this.#take(rpc, open, response)
  }

  #sessionOf(request: IncomingMessage): Open | undefined {
    const found = this.#sessions.get(String(request.headers['mcp-session-id']))
    const isOwn = found?.owner === ownerOf(request) || this.#fault.lacks === 'owner of a session'
    return isOwn ? found : undefined
  }

  [Symbol.dispose](): void {
    for (const { session } of this.#sessions.values()) session[Symbol.dispose]()
  }

  /** The status of a refusal. */
  #guard({ headers }: IncomingMessage): number | undefined {
    const { lacks } = this.#fault
    const { host, origin, authorization, 'mcp-protocol-version': version } = headers
    const isForeign = host !== `127.0.0.1:${this.port}` || origin !== undefined
    if (isForeign && lacks !== 'host') return 403
    const isKnown = authorization === 'Bearer one' || authorization === 'Bearer two'
    if (!isKnown && lacks !== 'token') return 401
    const isSpoken = version === undefined || VERSIONS.includes(String(version))
    return isSpoken || lacks === 'headers' ? undefined : 400
  }

  #begin({ id, params = {} }: Rpc, owner: string, response: ServerResponse): void {
    const calls: Calls = this.#fault.does === 'cancel by id alone' ? this.#allCalls : new Map()
    const session = new RelaySession({
      backends: this.#backends,
      fault: this.#fault,
      capabilities: params['capabilities'] ?? {},
      calls,
      push: (rpc, isForAll) => {
        const all = isForAll ? [...this.#sessions.values()] : [opened]
        for (const { stream } of all) stream?.write(`data: ${asJson(rpc)}\n\n`)
      },
    })
    const opened: Open = { owner, session, calls, stream: undefined }
    const name = randomUUID()
    this.#sessions.set(name, opened)
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: CAPABILITIES,
      serverInfo: { name: 'relay', version: '1' },
    }
    response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': name })
    response.end(asJson({ id: id ?? null, result }))
  }

  #listen(open: Open | undefined, response: ServerResponse): void {
    if (!open) return void response.writeHead(404).end()
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.flushHeaders()
    open.stream = response
  }

  async #take(rpc: Rpc, { session, calls }: Open, response: ServerResponse): Promise<void> {
    const { id, method, params = {} } = rpc
    if (method === undefined) session.answered(id, answerIn(rpc))
    if (method === 'notifications/cancelled') calls.get(params['requestId'])?.cancel()
    if (method === undefined || id === undefined) return void response.writeHead(202).end()
    const answer = await this.#answer(rpc, session, response)
    if (answer) respond(this.#waitingFor(id) ?? response, id, answer)
  }

  /** The request that came last under this id, where the fault says so. */
  #waitingFor(id: Rpc['id']): ServerResponse | undefined {
    return this.#fault.does === 'answer by id alone' ? this.#allWaiting.get(id) : undefined
  }

  async #answer(
    { id, method = '', params = {} }: Rpc,
    session: RelaySession,
    response: ServerResponse,
  ): Promise<Answer | undefined> {
    if (method === 'tools/call') this.#allWaiting.set(id, response)
    const plain = await session.answer(method, params, id)
    // Slow enough that requests of two clients with one id are under way together.
    if (this.#fault.does === 'answer by id alone') await pause(500)
    return this.#fault.answer ? this.#fault.answer(method, plain) : plain
  }
}

/** Nothing where the client has cancelled the request. */
function respond(response: ServerResponse, id: Rpc['id'], answer: Answer): void {
  if (response.writableEnded) return
  if (Object.keys(answer).length === 0) response.writeHead(202).end()
  else {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(asJson({ id, ...answer }))
  }
}

function answerIn({ result = {}, error }: Rpc): Answer {
  return error ? { error } : { result }
}

function ownerOf({ headers }: IncomingMessage): string {
  return headers.authorization ?? ''
}

function asJson(rpc: Rpc | ({ readonly id: Rpc['id'] } & Answer)): string {
  return JSON.stringify({ jsonrpc: '2.0', ...rpc })
}
