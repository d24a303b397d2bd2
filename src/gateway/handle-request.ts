/**
 * The methods of MCP that the gateway answers, for both eras. What it does not support is answered as the specification
 * says, never dropped.
 */
import { randomUUID } from 'node:crypto'
import type { Log } from '../kernel/ports.ts'
import type { CallProgress } from '../text/call-progress.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { askByUrl, isDeclined, LEFT_AT_ONCE, takesUrl } from './ask-by-url.ts'
import { type CallForClient, isWaiting } from './call-for-client.ts'
import { type ClientSession, sinkOf } from './client-session.ts'
import type { ClientViews } from './client-views.ts'
import type { OfferedTool } from './offered-tools.ts'
import type { OwnTools } from './own-tools.ts'
import { fitResult } from './fit-result.ts'
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  isObject,
  METHOD_NOT_FOUND,
  notificationMessage,
  RpcError,
  type RpcRequest,
} from './rpc-message.ts'
import { unknownTool } from './search-tools.ts'
import { failed, showCall } from './show-call.ts'
import { type Era, negotiate, VERSIONS } from './versions.ts'

export interface HandlerDeps {
  readonly views: ClientViews
  readonly own: OwnTools
  readonly call: CallForClient
  readonly progress: CallProgress
  /** The address of the owner's page; absent without one. */
  readonly page?: string
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
  const lists = new ListPages(deps.own)
  return async (request, exchange) => {
    const { era, session } = exchange
    noteProgram(session, request)
    if (!(await deps.views.refresh(session))) {
      throw new RpcError(INVALID_REQUEST, 'The owner has ended the access of this client')
    }
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
      return {
        ...(await lists.page(exchange.session, params['cursor'])),
        ...(isModern && FRESH),
      }
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

const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
const LONGEST_NAME = 100

/** `initialize` says the program's name once; a request of the modern era says it each time. */
function noteProgram(session: ClientSession, { method, params }: RpcRequest): void {
  const meta = params['_meta']
  const modern = isObject(meta) ? meta[CLIENT_INFO] : undefined
  const info = method === 'initialize' ? params['clientInfo'] : modern
  const name = isObject(info) ? info['name'] : undefined
  if (typeof name === 'string') session.says = name.slice(0, LONGEST_NAME)
}

const PAGE_SIZE = 500

/** Pages of the list. A cursor is a position in one list; a list that changed since has no such page. */
class ListPages {
  readonly #own: Pick<OwnTools, 'listed'>
  readonly #ids = new WeakMap<readonly JsonObject[], string>()

  constructor(own: Pick<OwnTools, 'listed'>) {
    this.#own = own
  }

  async page(session: ClientSession, cursor: Json | undefined): Promise<JsonObject> {
    const listed = await this.#own.listed(session)
    const id = this.#ids.get(listed) ?? randomUUID()
    this.#ids.set(listed, id)
    const start = cursor === undefined ? 0 : positionIn(cursor, id)
    const end = start + PAGE_SIZE
    return {
      tools: listed.slice(start, end),
      ...(end < listed.length && { nextCursor: `${id}:${end}` }),
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
  const { session } = exchange
  const tool = await deps.views.find(session, name)
  if (tool) return await callOffered(deps, { tool, args, params }, exchange)
  return await callOwn(deps, { name, args, params }, exchange)
}

/** A tool of the gateway itself. */
async function callOwn(
  deps: HandlerDeps,
  { name, args, params }: { readonly name: string } & Omit<Called, 'tool'>,
  exchange: Exchange,
): Promise<JsonObject> {
  const { session, signal } = exchange
  const own = await deps.own.find(session, name)
  if (!own) throw unknownTool(name, await deps.views.offered(session))
  using patience = createPatience(patienceFor(deps, session))
  return await own.call({
    session,
    args,
    callOffered: (tool, given) => callOffered(deps, { tool, args: given, params }, exchange),
    leave: patience.leave,
    signal,
  })
}

interface Called {
  readonly tool: OfferedTool
  readonly args: JsonObject
  readonly params: JsonObject
}

/** Clients built on the official SDK give a call up after 60 seconds unless they say otherwise. */
const USUAL_TIMEOUT_MS = 60_000
/** The answer needs time to get there. */
const AHEAD_MS = 5000

function patienceFor({ views }: HandlerDeps, session: ClientSession): number {
  return (views.limitsOf(session).timeoutMs?.most ?? USUAL_TIMEOUT_MS) - AHEAD_MS
}

async function callOffered(
  deps: HandlerDeps,
  { tool, args, params }: Called,
  exchange: Exchange,
): Promise<JsonObject> {
  const { session, signal } = exchange
  const callId = randomUUID()
  using progress = reportProgress(deps.progress, callId, params, exchange)
  // A client that is told of progress waits on.
  using patience = createPatience(progress.isTold ? undefined : patienceFor(deps, session))
  if (isDeclined(params)) return failed(DECLINED)
  const page = takesUrl(exchange, params) ? deps.page : undefined
  const leave = page === undefined ? patience.leave : LEFT_AT_ONCE
  const result = await deps.call(session, { callId, tool: tool.id, args, leave }, signal)
  if (isWaiting(result)) return page === undefined ? failed(WAITING) : askByUrl(page)
  const shown = showCall(result, tool.isStructured, sinkOf(session))
  return fitResult(session, result, shown, deps.views.limitsOf(session))
}

const DECLINED =
  'The owner was not asked, so the call was not made. Call the same tool again to ask them.'

const WAITING =
  'Cordon is waiting for the owner to allow this call. Call the same tool with exactly the same arguments again to get the answer; the owner is asked on their page, terminal or phone.'

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
