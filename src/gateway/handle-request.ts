/**
 * The methods of MCP that the gateway answers, for both eras. What it does not support is answered as the specification
 * says, never dropped.
 */
import { randomUUID } from 'node:crypto'
import type { Log } from '../kernel/ports.ts'
import type { CallResult } from '../kernel/tool-call.ts'
import type { CallProgress } from '../text/call-progress.ts'
import type { JsonObject } from '../text/json.ts'
import { askByUrl, isDeclined, LEFT_AT_ONCE, takesUrl } from './ask-by-url.ts'
import { type BesideTools, CAPABILITIES_BESIDE } from './beside-tools.ts'
import { type CallForClient, isWaiting } from './call-for-client.ts'
import { type ClientSession, sinkOf } from './client-session.ts'
import type { ClientLink } from './client-link.ts'
import type { More } from './client-questions.ts'
import type { CalledFeature } from './create-feature-call.ts'
import type { ClientViews } from './client-views.ts'
import type { OfferedTool } from './offered-tools.ts'
import type { OwnTools } from './own-tools.ts'
import { listPage } from './list-page.ts'
import { fitResult } from './fit-result.ts'
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  isObject,
  METHOD_NOT_FOUND,
  RpcError,
  type RpcRequest,
} from './rpc-message.ts'
import { unknownTool } from './search-tools.ts'
import { Patience, reportProgress } from './report-progress.ts'
import { failed, showCall } from './show-call.ts'
import { waitingWays, waysForward } from './ways-forward.ts'
import { type Era, negotiate, VERSIONS } from './versions.ts'

export interface HandlerDeps {
  readonly beside: BesideTools
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
  readonly request: RpcRequest
  readonly link: ClientLink
  readonly era: Era
  /** Sends a notification before the answer; absent if the client cannot take one here. */
  readonly notify?: (message: JsonObject) => void
  readonly signal: AbortSignal
  /** The span of this request (W3C `traceparent`), if requests are traced. */
  readonly trace?: string
}

export type HandleRequest = (request: RpcRequest, exchange: Exchange) => Promise<JsonObject>

/** Results of lists may be kept by the client so long, for this client alone. */
const FRESH = { ttlMs: 5000, cacheScope: 'private' } as const
const CAPABILITIES: JsonObject = { tools: { listChanged: true }, ...CAPABILITIES_BESIDE }

export function createHandler(deps: HandlerDeps): HandleRequest {
  const serverInfo = { name: 'cordon', title: 'Cordon', version: deps.version }
  return async (request, exchange) => {
    const { era, session } = exchange
    noteProgram(session, request)
    if (!(await deps.views.refresh(session))) {
      throw new RpcError(INVALID_REQUEST, 'The owner has ended the access of this client')
    }
    const result = await answer({ deps, serverInfo }, request, exchange)
    if (era === 'legacy') return result
    const said = isObject(result['_meta']) ? result['_meta'] : {}
    const meta = { ...said, 'io.modelcontextprotocol/serverInfo': serverInfo }
    return { resultType: 'complete', ...result, _meta: meta }
  }
}

interface Parts {
  readonly deps: HandlerDeps
  readonly serverInfo: JsonObject
}

async function answer(
  { deps, serverInfo }: Parts,
  request: RpcRequest,
  exchange: Exchange,
): Promise<JsonObject> {
  const { method, params } = request
  const isModern = exchange.era === 'modern'
  switch (method) {
    case 'tools/call':
      return await callTool(deps, params, exchange)
    case 'tools/list':
      return {
        ...listPage('tools', await deps.own.listed(exchange.session), params['cursor']),
        ...(isModern && FRESH),
      }
    case 'server/discover':
      return { supportedVersions: VERSIONS, capabilities: CAPABILITIES, ...FRESH }
    case 'initialize':
      if (isModern) break
      deps.beside.begin(exchange)
      exchange.link.version = negotiate(params['protocolVersion'])
      return {
        protocolVersion: exchange.link.version,
        capabilities: CAPABILITIES,
        serverInfo,
      }
    case 'ping':
      if (isModern) break
      return {}
  }
  const other = deps.beside.answer((called, one) => perform(deps, called, one), request, exchange)
  if (other) return await other
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
  if (tool) return await callOffered(deps, { tool, args }, exchange)
  return await callOwn(deps, { name, args }, exchange)
}

/** A tool of the gateway itself. */
async function callOwn(
  deps: HandlerDeps,
  { name, args }: { readonly name: string } & Omit<Called, 'tool'>,
  exchange: Exchange,
): Promise<JsonObject> {
  const { session, signal } = exchange
  const own = await deps.own.find(session, name)
  if (!own) throw unknownTool(name, await deps.views.offered(session), session)
  const told = own.isLong ? exchange.request.params : {}
  using progress = reportProgress(deps.progress, undefined, told, exchange)
  using patience = new Patience(progress.isTold ? undefined : patienceFor(deps, session))
  return await own.call({
    session,
    args,
    callOffered: (tool, given) => callOffered(deps, { tool, args: given }, exchange),
    leave: patience.leave,
    signal,
  })
}

interface Called {
  readonly tool: OfferedTool
  readonly args: JsonObject
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
  { tool, args }: Called,
  exchange: Exchange,
): Promise<JsonObject> {
  const { session, request } = exchange
  if (isDeclined(request.params)) return failed(DECLINED)
  const result = await perform(deps, { id: tool.id, args }, exchange)
  if (result.kind === 'more') return result.result
  const page = pageFor(deps, exchange)
  if (isWaiting(result)) return page === undefined ? failed(waitingWays(session)) : askByUrl(page)
  if (result.kind === 'refused') return failed(waysForward(session, tool.id, result))
  const shown = showCall(result, tool.isStructured, sinkOf(session))
  const named = await deps.beside.rename(shown, tool.id.server, exchange)
  return fitResult(session, result, named, deps.views.limitsOf(session))
}

/** The page, if the client can send its person there. */
function pageFor({ page }: HandlerDeps, exchange: Exchange): string | undefined {
  return takesUrl(exchange, exchange.request.params) ? page : undefined
}

/** One call of a client, whatever method it came by: its progress, its log messages and its questions are told. */
async function perform(
  deps: HandlerDeps,
  { id: tool, args }: CalledFeature,
  exchange: Exchange,
): Promise<CallResult | More> {
  const { session, request } = exchange
  const callId = randomUUID()
  using progress = reportProgress(
    deps.progress,
    { callId, server: tool.server },
    request.params,
    exchange,
  )
  // A client that is told of progress waits on.
  using patience = new Patience(progress.isTold ? undefined : patienceFor(deps, session))
  using _logs = deps.beside.news.logsOf(exchange, tool.server)
  const leave = (): AbortSignal =>
    pageFor(deps, exchange) === undefined ? patience.leave : LEFT_AT_ONCE
  const { trace } = exchange
  const call = { callId, tool, args, leave, ...(trace !== undefined && { trace }) }
  return await deps.beside.questions.run({ callId, tool, request }, exchange, (signal) =>
    deps.call(session, call, signal),
  )
}

const DECLINED =
  'The owner was not asked, so the call was not made. Call the same tool again to ask them.'
