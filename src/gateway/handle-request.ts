/**
 * The methods of MCP that the gateway answers, for both eras. What it does not support is answered as the specification
 * says, never dropped.
 */
import { randomUUID } from 'node:crypto'
import type { Log } from '../kernel/ports.ts'
import type { Sink } from '../labels/sink.ts'
import type { CallProgress } from '../text/call-progress.ts'
import { closestNames } from '../text/closest-names.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { type CallForClient, isWaiting } from './call-for-client.ts'
import { CLIENT_CEILING, type ClientSession } from './client-session.ts'
import type { Offer, Offered, OfferedTool } from './offered-tools.ts'
import {
  INVALID_PARAMS,
  isObject,
  METHOD_NOT_FOUND,
  notificationMessage,
  RpcError,
  type RpcRequest,
} from './rpc-message.ts'
import { failed, showCall } from './show-call.ts'
import { type Era, negotiate, VERSIONS } from './versions.ts'

export interface HandlerDeps {
  readonly offer: Offer
  readonly call: CallForClient
  readonly progress: CallProgress
  readonly version: string
  readonly log: Log
}

/** One request, and the way back to its client while it is answered. */
export interface Exchange {
  readonly session: ClientSession
  readonly era: Era
  /** Sends a notification before the answer; absent if the client cannot take one here. */
  readonly notify?: (message: JsonObject) => void
  readonly signal: AbortSignal
}

export type HandleRequest = (request: RpcRequest, exchange: Exchange) => Promise<JsonObject>

/** Results of lists may be kept by the client so long, for this client alone. */
const FRESH = { ttlMs: 5000, cacheScope: 'private' } as const
const CAPABILITIES: JsonObject = { tools: { listChanged: true } }

export function createHandler(deps: HandlerDeps): HandleRequest {
  const serverInfo = { name: 'cordon', title: 'Cordon', version: deps.version }
  const lists = new ListPages(deps.offer)
  return async (request, exchange) => {
    const { era } = exchange
    const result = await answer({ deps, lists, serverInfo }, request, exchange)
    if (era === 'legacy') return result
    const meta = { 'io.modelcontextprotocol/serverInfo': serverInfo }
    return { resultType: 'complete', ...result, _meta: meta }
  }
}

interface Parts {
  readonly deps: HandlerDeps
  readonly lists: ListPages
  readonly serverInfo: JsonObject
}

async function answer(
  { deps, lists, serverInfo }: Parts,
  { method, params }: RpcRequest,
  exchange: Exchange,
): Promise<JsonObject> {
  const isModern = exchange.era === 'modern'
  switch (method) {
    case 'tools/call':
      return await callTool(deps, params, exchange)
    case 'tools/list':
      return { ...(await lists.page(params['cursor'])), ...(isModern && FRESH) }
    case 'server/discover':
      return { supportedVersions: VERSIONS, capabilities: CAPABILITIES, ...FRESH }
    case 'initialize':
      if (isModern) break
      return {
        protocolVersion: negotiate(params['protocolVersion']),
        capabilities: CAPABILITIES,
        serverInfo,
      }
    case 'ping':
      if (isModern) break
      return {}
  }
  throw new RpcError(METHOD_NOT_FOUND, `There is no method ${JSON.stringify(method)} here`)
}

const PAGE_SIZE = 500

/** Pages of the list. A cursor is a position in one list; a list that changed since has no such page. */
class ListPages {
  readonly #offer: Offer
  #known: { readonly of: Offered; readonly id: string } | undefined

  constructor(offer: Offer) {
    this.#offer = offer
  }

  async page(cursor: Json | undefined): Promise<JsonObject> {
    const offered = await this.#offer.list()
    if (this.#known?.of !== offered) this.#known = { of: offered, id: randomUUID() }
    const { id } = this.#known
    const start = cursor === undefined ? 0 : positionIn(cursor, id)
    const tools = [...offered.values()].slice(start, start + PAGE_SIZE)
    const end = start + PAGE_SIZE
    return {
      tools: tools.map(({ definition }) => definition),
      ...(end < offered.size && { nextCursor: `${id}:${end}` }),
    }
  }
}

function positionIn(cursor: Json, id: string): number {
  const [of, position] = typeof cursor === 'string' ? cursor.split(':') : []
  if (of !== id || !/^\d{1,9}$/.test(position ?? '')) {
    throw new RpcError(INVALID_PARAMS, 'The list has changed: read it from its beginning')
  }
  return Number(position)
}

async function callTool(
  deps: HandlerDeps,
  params: JsonObject,
  exchange: Exchange,
): Promise<JsonObject> {
  const { name, arguments: args = {} } = params
  if (typeof name !== 'string' || !isObject(args)) {
    throw new RpcError(INVALID_PARAMS, 'tools/call takes a name and an object of arguments')
  }
  const tool = await deps.offer.find(name)
  if (!tool) throw unknownTool(name, await deps.offer.list())
  return await callOffered(deps, { tool, args, params }, exchange)
}

function unknownTool(name: string, offered: Offered): RpcError {
  const near = closestNames(name, [...offered.keys()]).slice(0, 3)
  const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''
  return new RpcError(
    INVALID_PARAMS,
    `There is no tool ${JSON.stringify(name.slice(0, 80))}${hint}`,
  )
}

interface Called {
  readonly tool: OfferedTool
  readonly args: JsonObject
  readonly params: JsonObject
}

/** Clients built on the official SDK give a call up after 60 seconds unless they say otherwise; the answer needs time. */
const PATIENCE_MS = 55_000

async function callOffered(
  deps: HandlerDeps,
  { tool, args, params }: Called,
  exchange: Exchange,
): Promise<JsonObject> {
  const { session, signal } = exchange
  const callId = randomUUID()
  using progress = reportProgress(deps.progress, callId, params, exchange)
  // A client that is told of progress waits on.
  using patience = createPatience(progress.isTold ? undefined : PATIENCE_MS)
  const call = { callId, tool: tool.id, args, leave: patience.leave }
  const result = await deps.call(session, call, signal)
  if (isWaiting(result)) return failed(WAITING)
  return showCall(result, tool.isStructured, sinkOf(session))
}

const WAITING =
  'Cordon is waiting for the owner to allow this call. Call the same tool with exactly the same arguments again to get the answer; the owner is asked on their page, terminal or phone.'

function sinkOf({ client }: ClientSession): Sink {
  return { name: `sink:client:${client.name}`, clearance: CLIENT_CEILING }
}

function createPatience(ms: number | undefined): Disposable & { readonly leave: AbortSignal } {
  const leaving = new AbortController()
  const timer = ms === undefined ? undefined : setTimeout(() => leaving.abort(), ms)
  timer?.unref()
  return { leave: leaving.signal, [Symbol.dispose]: () => clearTimeout(timer) }
}

const PROGRESS_MS = 10_000

interface Reporting extends Disposable {
  readonly isTold: boolean
}

const SILENT: Reporting = { isTold: false, [Symbol.dispose]: () => undefined }

/**
 * Passes a server's words about its progress on, and tells every ten seconds that the call goes on: clients that take
 * progress start their timeout anew with it.
 */
function reportProgress(
  progress: CallProgress,
  callId: string,
  params: JsonObject,
  { notify }: Exchange,
): Reporting {
  const meta = params['_meta']
  const progressToken = isObject(meta) ? meta['progressToken'] : undefined
  if (!notify || progressToken === undefined) return SILENT
  const began = performance.now()
  let told = 0
  const tell = (message: string): void => {
    told += 1
    notify(
      notificationMessage('notifications/progress', { progressToken, progress: told, message }),
    )
  }
  const seconds = (): number => Math.round((performance.now() - began) / 1000)
  const timer = setInterval(() => tell(`still at work after ${seconds()} s`), PROGRESS_MS)
  timer.unref()
  const ending = new AbortController()
  progress.begin(callId)
  void follow(progress, callId, tell, ending.signal)
  return {
    isTold: true,
    [Symbol.dispose]() {
      clearInterval(timer)
      ending.abort()
      progress.end(callId)
    },
  }
}

async function follow(
  progress: CallProgress,
  callId: string,
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await progress.changes.next(callId, signal)
    const said = progress.of(callId)
    if (said && !signal.aborted) tell(said.text)
  }
}
