/**
 * Questions that a server asks during a client's call (MCP elicitation), put to the client's user where the client can
 * take them: as a request of ours in the legacy era, as an `input_required` result in the modern one, whose call waits
 * here until the same session comes back. The answer goes to the server past the policy, so it is taken only from a client
 * that has read nothing of others, which is looked at when the server asks and again when the answer is there: a client may
 * read while its user thinks. Elsewhere the server is told `cancel`.
 */
import { hash, randomBytes } from 'node:crypto'
import type { FlowQuestion } from '../ports/flow-port.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { CallResult } from '../kernel/tool-call.ts'
import type { ToolId } from '../kernel/tool-id.ts'
import { canonicalJson, type Json, type JsonObject } from '../text/json.ts'
import type { Clients } from '../ports/client-port.ts'
import { canElicit } from './client-link.ts'
import { type ClientSession, raiseLabel, registrationOf, saidBy } from './client-session.ts'
import { elicitationFor } from './elicitation-for.ts'
import type { Exchange } from './handle-request.ts'
import { INVALID_PARAMS, isObject, RpcError, type RpcRequest } from './rpc-message.ts'

export interface InputPort {
  during<T>(caller: Caller, work: () => Promise<T>): Promise<T>
  question(run: string): FlowQuestion | undefined
  answer(run: string, id: string, choice: string, value: Json | undefined): boolean
}

interface Caller {
  readonly run: string
  readonly callId: string
  /** The registration of the client: its person answers for the calls of all its sessions. */
  readonly asker: string
  readonly node: string
  readonly server: ServerId
  readonly tell: () => void
  readonly isUnattended: boolean
}

export interface AskedCall {
  readonly callId: string
  readonly tool: ToolId
  readonly request: RpcRequest
}

export interface More {
  readonly kind: 'more'
  readonly result: JsonObject
}

type Work = (signal: AbortSignal) => Promise<CallResult>

/** A call of the modern era whose client has to come back with an answer. */
interface Parked {
  readonly callId: string
  readonly server: ServerId
  /** The result raises the label of this session, so no other session may take it. */
  readonly session: ClientSession
  readonly digest: string
  readonly stop: AbortController
  readonly result: Promise<CallResult>
  asked: PromiseWithResolvers<void>
}

interface Place {
  readonly call: Parked
  /** Cancels the call. */
  drop(): void
  /** Ends the wait, not the call. */
  release(): void
}

export interface QuestionDeps {
  readonly input: InputPort
  readonly clients: Pick<Clients, 'revoked'>
}

/** Of one client. */
const MOST_PARKED = 100
/** As long as the owner's own questions are open. */
const PARKED_MS = 300_000
/** The one request in a result: a server's questions are put one at a time. */
const KEY = 'question'
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'

export class ClientQuestions {
  readonly #input: InputPort
  readonly #clients: QuestionDeps['clients']
  readonly #parked = new Map<string, Place>()

  constructor({ input, clients }: QuestionDeps) {
    this.#input = input
    this.#clients = clients
  }

  async run(asked: AskedCall, exchange: Exchange, work: Work): Promise<CallResult | More> {
    const isModern = exchange.era === 'modern'
    if (isModern && exchange.request.params['requestState'] !== undefined) {
      return await this.#resume(asked.request, exchange)
    }
    const { callId, tool } = asked
    const place = placeOf(asked, exchange)
    if (!canAsk(exchange)) {
      const alone = { ...place, tell: () => undefined, isUnattended: true }
      return await this.#input.during(alone, () => work(exchange.signal))
    }
    if (isModern) return await this.#start(asked, exchange, work)
    const tell = (): void => void this.#ask(callId, tool.server, exchange)
    const caller = { ...place, tell, isUnattended: false }
    return await this.#input.during(caller, () => work(exchange.signal))
  }

  /** Legacy: a request to the client, on the stream of its own call. */
  async #ask(callId: string, server: ServerId, exchange: Exchange): Promise<void> {
    const question = this.#input.question(callId)
    if (!question || !exchange.notify) return
    if (!mayAnswer(exchange, question, server)) return this.#settle(callId, question, undefined)
    raiseLabel(exchange.session, saidBy(server))
    const { link, notify, signal } = exchange
    const params = elicitationFor(question, { era: 'legacy', version: link.version })
    const answer = await link.request({ method: 'elicitation/create', params }, notify, signal)
    const isTaken = mayAnswer(exchange, question, server)
    this.#settle(callId, question, isTaken ? answer : undefined)
  }

  async #start(asked: AskedCall, exchange: Exchange, work: Work) {
    const stop = new AbortController()
    if (exchange.signal.aborted) stop.abort(exchange.signal.reason)
    const call: { -readonly [K in keyof Parked]?: Parked[K] } = { asked: Promise.withResolvers() }
    const tell = (): void => call.asked?.resolve()
    const caller = { ...placeOf(asked, exchange), tell, isUnattended: false }
    const result = this.#input.during(caller, () => work(stop.signal))
    result.catch(() => undefined) // awaited below, or by the request that comes back
    const { session } = exchange
    const { callId, tool } = asked
    Object.assign(call, { callId, server: tool.server, session, stop, result })
    call.digest = digestOf(asked.request)
    return await this.#await(call as Parked, exchange)
  }

  /** Until the call ends, or its server asks something. */
  async #await(call: Parked, exchange: Exchange): Promise<CallResult | More> {
    const leave = (): void => call.stop.abort(exchange.signal.reason)
    exchange.signal.addEventListener('abort', leave, { once: true })
    if (exchange.signal.aborted) leave()
    try {
      for (;;) {
        const ended = await Promise.race([call.result, call.asked.promise])
        if (ended !== undefined) return ended
        call.asked = Promise.withResolvers()
        const question = this.#input.question(call.callId)
        if (!question) continue
        if (mayAnswer(exchange, question, call.server)) return this.#park(call, question, exchange)
        this.#settle(call.callId, question, undefined)
      }
    } finally {
      exchange.signal.removeEventListener('abort', leave)
    }
  }

  /** Until the client comes back. Nobody can once it is removed or its connection has ended, so the call ends then. */
  #park(call: Parked, question: FlowQuestion, { session, link }: Exchange): More {
    raiseLabel(session, saidBy(call.server))
    const state = randomBytes(24).toString('base64url')
    const ends = [this.#clients.revoked(session.client), link.closed]
    const drop = (): void => {
      this.#parked.get(state)?.release()
      call.stop.abort()
    }
    const timer = setTimeout(drop, PARKED_MS).unref()
    const release = (): void => {
      clearTimeout(timer)
      for (const end of ends) end.removeEventListener('abort', drop)
      this.#parked.delete(state)
    }
    for (const end of ends) end.addEventListener('abort', drop)
    this.#parked.set(state, { call, drop, release })
    if (ends.some(({ aborted }) => aborted)) drop()
    this.#bound(session)
    const params = elicitationFor(question, { era: 'modern' })
    const inputRequests = { [KEY]: { method: 'elicitation/create', params } }
    return {
      kind: 'more',
      result: { resultType: 'input_required', inputRequests, requestState: state },
    }
  }

  /** A client with too many calls that wait loses its own oldest one. */
  #bound({ client: { name } }: ClientSession): void {
    const own = [...this.#parked.values()].filter(({ call }) => call.session.client.name === name)
    if (own.length > MOST_PARKED) own[0]?.drop()
  }

  async #resume(request: RpcRequest, exchange: Exchange): Promise<CallResult | More> {
    const { requestState: state, inputResponses } = request.params
    const found = typeof state === 'string' ? this.#parked.get(state) : undefined
    const call = found?.call
    if (call?.session !== exchange.session || call.digest !== digestOf(request)) {
      throw new RpcError(INVALID_PARAMS, 'This call does not wait for an answer any more')
    }
    found?.release()
    const question = this.#input.question(call.callId)
    if (question) {
      const isTaken = mayAnswer(exchange, question, call.server)
      const answer = isObject(inputResponses) ? inputResponses[KEY] : undefined
      this.#settle(call.callId, question, isTaken ? answer : undefined)
    }
    return await this.#await(call, exchange)
  }

  /** An answer that does not fit the question counts as none. */
  #settle(callId: string, { id }: FlowQuestion, answer: Json | undefined): void {
    const { action = 'cancel', content } = isObject(answer) ? answer : {}
    try {
      const choice = typeof action === 'string' ? action : 'cancel'
      this.#input.answer(callId, id, choice, content)
    } catch {
      this.#input.answer(callId, id, 'cancel', undefined)
    }
  }
}

function placeOf({ callId, tool: { server, name } }: AskedCall, { session }: Exchange) {
  return { run: callId, callId, asker: registrationOf(session), node: name, server }
}

/** The same call, whatever was asked meanwhile. */
function digestOf({ method, params }: RpcRequest): string {
  const { requestState: _state, inputResponses: _responses, _meta, ...own } = params
  return hash('sha256', canonicalJson([method, own]))
}

function capabilitiesOf({ era, link, request }: Exchange): Json | undefined {
  if (era === 'legacy') return link.capabilities
  const meta = request.params['_meta']
  return isObject(meta) ? meta[CAPABILITIES_KEY] : undefined
}

function canAsk(exchange: Exchange): boolean {
  const capabilities = capabilitiesOf(exchange)
  const takes = canElicit(capabilities, 'form') || canElicit(capabilities, 'url')
  return takes && (exchange.era === 'modern' || exchange.notify !== undefined)
}

function mayAnswer(exchange: Exchange, { url }: FlowQuestion, server: ServerId): boolean {
  const kind = url === undefined ? 'form' : 'url'
  return canElicit(capabilitiesOf(exchange), kind) && isUntouched(exchange.session, server)
}

/** The session has read nothing of other servers, so an answer can tell this server nothing new. */
function isUntouched({ client, label }: ClientSession, server: ServerId): boolean {
  return client.taint === 'warn' || [...label.origins].every((origin) => origin === server)
}
