/**
 * One client of the relay: servers of its own, so that nothing of one client can reach another, and the way of every
 * request to the server that it belongs to. Messages of servers go out on `push`.
 */
import type { Backend } from '../adapters/adapter.ts'
import type { Rpc } from '../client/wire.ts'
import type { Answer, Fault, Params } from './fault.ts'
import { newPending, RelayBackend } from './relay-backend.ts'
import { RelayNames } from './relay-names.ts'

export interface Call {
  readonly cancel: () => void
}

/** Requests of clients under way, by their ids. */
export type Calls = Map<unknown, Call>

interface Parts {
  readonly backends: readonly Backend[]
  readonly fault: Fault
  readonly capabilities: unknown
  readonly calls: Calls
  /** To this client, or to all. */
  readonly push: (rpc: Rpc, isForAll: boolean) => void
}

const LISTS: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
}
const OF_RESOURCES = new Set(['resources/read', 'resources/subscribe', 'resources/unsubscribe'])
const refusal = (code: number, message: string): Answer => ({ error: { code, message } })
const NO_METHOD = refusal(-32_601, 'There is no such method')
const UNKNOWN = refusal(-32_602, 'There is no such thing')

export class RelaySession implements Disposable {
  readonly #parts: Parts
  readonly #servers: readonly RelayBackend[]
  readonly #names: Readonly<Record<string, RelayNames>>
  readonly #tokens = new Map<number, unknown>()
  readonly #clientIds = new Map<number, unknown>()
  readonly #questions = new Map<string, (answer: Answer) => void>()
  readonly #listed = new Map<string, Answer>()
  readonly #untold = new Set<string>()
  #level: unknown
  #asked = 0

  constructor(parts: Parts) {
    this.#parts = parts
    const { backends, fault, capabilities } = parts
    const shared = newPending()
    this.#names = { tools: new RelayNames(fault), prompts: new RelayNames(fault) }
    this.#servers = backends.map((backend) => {
      const pending = fault.does === 'trust ids of servers' ? shared : newPending()
      const events = {
        said: (rpc: Rpc) => this.#said(backend.name, rpc),
        again: (id: number, answer: Answer) => this.#again(id, answer),
        ended: () => this.#ended(),
      }
      return new RelayBackend(backend, fault, { events, pending, capabilities })
    })
  }

  async answer(method: string, params: Params, id: unknown): Promise<Answer> {
    const key = LISTS[method]
    if (key !== undefined) return await this.#list(method, key)
    if (OF_RESOURCES.has(method)) {
      return (await this.#serverOf(params['uri'])?.request(method, params)) ?? UNKNOWN
    }
    switch (method) {
      case 'ping':
        return { result: {} }
      case 'tools/call':
        return await this.#call(params, id)
      case 'prompts/get':
        return await this.#named('prompts', method, params)
      case 'completion/complete':
        return await this.#complete(params)
      case 'logging/setLevel':
        this.#level = params['level']
        return { result: {} }
      default:
        return NO_METHOD
    }
  }

  /** The client's answer to a question of a server. */
  answered(id: unknown, answer: Answer): void {
    this.#questions.get(String(id))?.(answer)
    this.#questions.delete(String(id))
  }

  [Symbol.dispose](): void {
    for (const server of this.#servers) server[Symbol.dispose]()
  }

  async #list(method: string, key: string): Promise<Answer> {
    const known = this.#listed.get(method)
    if (known && this.#parts.fault.does === 'list once') return known
    const all: Params[] = []
    for (const server of this.#servers) {
      const { result } = await server.request(method, {})
      const listed = (result?.[key] ?? []) as readonly Params[]
      all.push(...(this.#names[key]?.list(server.name, listed) ?? listed))
    }
    const answer = { result: { [key]: all } }
    this.#listed.set(method, answer)
    return answer
  }

  async #call(params: Params, id: unknown): Promise<Answer> {
    const { fault, calls } = this.#parts
    const unknown = { backend: 'alpha', name: String(params['name']).replace(/^\w+?__/, '') }
    const isOpen = fault.does === 'forward unknown tools'
    const place = this.#names['tools']?.find(params['name']) ?? (isOpen ? unknown : undefined)
    const server = this.#servers.find((one) => one.name === place?.backend)
    if (!place || !server) return UNKNOWN
    const cancelled = Promise.withResolvers<Answer>()
    const work = server.request('tools/call', { ...params, name: place.name }, (own) => {
      const meta = params['_meta'] as Params | undefined
      this.#tokens.set(own, meta?.['progressToken'])
      this.#clientIds.set(own, id)
      const cancel = (): void => {
        if (fault.does === 'ignore cancellation') return
        server.send({ method: 'notifications/cancelled', params: { requestId: own } })
        if (fault.does !== 'answer what was cancelled') cancelled.resolve({})
      }
      calls.set(id, { cancel })
    })
    return await Promise.race([work, cancelled.promise])
  }

  async #named(key: string, method: string, params: Params): Promise<Answer> {
    const place = this.#names[key]?.find(params['name'])
    const server = this.#servers.find((one) => one.name === place?.backend)
    return (await server?.request(method, { ...params, name: place?.name })) ?? UNKNOWN
  }

  async #complete(params: Params): Promise<Answer> {
    const ref = params['ref'] as Params | undefined
    const place = this.#names['prompts']?.find(ref?.['name'])
    const server = this.#servers.find((one) => one.name === place?.backend)
    const own = { ...params, ref: { ...ref, name: place?.name } }
    return (await server?.request('completion/complete', own)) ?? UNKNOWN
  }

  /** The servers of the suite name themselves in their URIs. */
  #serverOf(uri: unknown): RelayBackend | undefined {
    return this.#servers.find(({ name }) => String(uri).startsWith(`suite-${name}:`))
  }

  #said(server: string, { id, method = '', params = {} }: Rpc): void {
    const { fault } = this.#parts
    if (fault.drops?.(method)) return
    if (id !== undefined && id !== null) return this.#ask(server, { id, method, params })
    if (fault.does === 'pass everything on') this.#push({ method, params })
    else this.#tell(method, params)
  }

  #tell(method: string, params: Params): void {
    const progressToken = this.#tokens.get(Number(params['progressToken']))
    if (method === 'notifications/progress') {
      if (progressToken !== undefined) this.#push({ method, params: { ...params, progressToken } })
    } else if (method === 'notifications/message') {
      if (this.#level !== undefined) this.#push({ method, params })
    } else if (method.endsWith('list_changed')) this.#tellOnce(method)
    else this.#push({ method, params })
  }

  /** However often a server says so, the client is told once for each time that it could have looked. */
  #tellOnce(method: string): void {
    if (this.#untold.has(method)) return
    this.#untold.add(method)
    setTimeout(() => {
      this.#untold.delete(method)
      this.#push({ method })
    }, 50)
  }

  #ask(server: string, { id, method = '', params = {} }: Rpc): void {
    const { capabilities, fault } = this.#parts
    const reply = (answer: Answer): void =>
      this.#servers.find(({ name }) => name === server)?.send({ id: id as string, ...answer })
    const canAsk = typeof capabilities === 'object' && capabilities && 'elicitation' in capabilities
    if (method !== 'elicitation/create' || !canAsk) return reply(NO_METHOD)
    this.#asked += 1
    const own = `relay-${this.#asked}`
    this.#questions.set(own, reply)
    const message =
      fault.does === 'hide who asks' ? params['message'] : `${server}: ${String(params['message'])}`
    this.#push({ id: own, method, params: { ...params, message } })
  }

  #push(rpc: Rpc): void {
    this.#parts.push(rpc, this.#parts.fault.broadcasts?.(rpc.method ?? '') === true)
  }

  #again(id: number, answer: Answer): void {
    if (this.#parts.fault.does !== 'answer twice') return
    const clientId = this.#clientIds.get(id)
    if (clientId !== undefined) this.#push({ id: clientId as number, ...answer })
  }

  #ended(): void {
    const { does } = this.#parts.fault
    if (does === 'end all with one' || does === 'end on garbage') this[Symbol.dispose]()
  }
}
