/**
 * Spans of what clients ask for, by the conventions for MCP: a server span for each request, and below it a client span
 * for the call of a server. No argument, no result and no text of an error is recorded.
 * https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */
import type { JsonObject } from '../../text/json.ts'
import { type CallForClient, isWaiting } from '../call-for-client.ts'
import type { HandleRequest } from '../handle-request.ts'
import { isObject, RpcError, type RpcRequest } from '../rpc-message.ts'
import { newContext, parseTraceparent, showTraceparent, type SpanContext } from './span-context.ts'

/** The numbers of OTLP. */
const [SERVER, CLIENT] = [2, 3]

export interface Span {
  readonly context: SpanContext
  readonly parentId?: string
  readonly name: string
  readonly kind: number
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, string>>
  /** The value of `error.type`; absent for a success. */
  readonly error?: string
}

export interface Tracing {
  /** Milliseconds since 1970, with fractions. */
  readonly now: () => number
  readonly record: (span: Span) => void
}

/** Names that a client made up are cut; they go to the owner's collector only. */
const LONGEST_NAME = 128

export function traceRequests(handle: HandleRequest, tracing: Tracing): HandleRequest {
  return async (request, exchange) => {
    const meta = request.params['_meta']
    const parent = parseTraceparent(isObject(meta) ? meta['traceparent'] : undefined)
    const begun = begin(tracing, parent, SERVER)
    const about = describe(request, exchange.session.client.name)
    try {
      const result = await handle(request, { ...exchange, trace: begun.traceparent })
      begun.end(about, result['isError'] === true ? 'tool_error' : undefined)
      return result
    } catch (error) {
      const code = error instanceof RpcError ? String(error.code) : '_OTHER'
      begun.end({ ...about, more: { 'rpc.response.status_code': code } }, code)
      throw error
    }
  }
}

export function traceCalls(call: CallForClient, tracing: Tracing): CallForClient {
  return async (session, about, signal) => {
    const begun = begin(tracing, parseTraceparent(about.trace), CLIENT)
    const { server, name } = about.tool
    const described = {
      method: 'tools/call',
      target: name,
      more: { ...EXECUTES, 'gen_ai.tool.name': name, 'cordon.server': server },
    }
    let error: string | undefined = '_OTHER'
    try {
      const result = await call(session, { ...about, trace: begun.traceparent }, signal)
      const outcome = isWaiting(result) ? 'waiting' : result.kind
      error = outcome === 'ok' ? undefined : outcome
      return result
    } finally {
      begun.end(described, error)
    }
  }
}

const EXECUTES = { 'gen_ai.operation.name': 'execute_tool' } as const

interface Described {
  readonly method: string
  readonly target?: string
  readonly more: Readonly<Record<string, string>>
}

function describe({ method, id, params }: RpcRequest, client: string): Described {
  const target = targetOf(method, params)
  const isCall = method === 'tools/call'
  const key = isCall ? 'gen_ai.tool.name' : 'gen_ai.prompt.name'
  return {
    method: method.slice(0, LONGEST_NAME),
    ...(target !== undefined && { target }),
    more: {
      'jsonrpc.request.id': String(id).slice(0, LONGEST_NAME),
      'cordon.client': client,
      ...(isCall && EXECUTES),
      ...(target !== undefined && { [key]: target }),
    },
  }
}

/** A URI of a resource is left out: there are too many of them, and one may hold data. */
function targetOf(method: string, { name }: JsonObject): string | undefined {
  const isNamed = method === 'tools/call' || method === 'prompts/get'
  return isNamed && typeof name === 'string' ? name.slice(0, LONGEST_NAME) : undefined
}

interface Begun {
  readonly traceparent: string
  end(about: Described, error: string | undefined): void
}

function begin({ now, record }: Tracing, parent: SpanContext | undefined, kind: number): Begun {
  const context = newContext(parent)
  const startMs = now()
  return {
    traceparent: showTraceparent(context),
    end({ method, target, more }, error) {
      if (!context.isSampled) return
      record({
        context,
        ...(parent && { parentId: parent.spanId }),
        name: target === undefined ? method : `${method} ${target}`,
        kind,
        startMs,
        endMs: now(),
        attributes: { 'mcp.method.name': method, ...more },
        ...(error !== undefined && { error }),
      })
    },
  }
}
