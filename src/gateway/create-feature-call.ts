/**
 * One call of a feature for a client. Unlike the result of a tool, that of `resources/read` cannot say that nothing was
 * done: a refusal and a failure are errors of the protocol, with the same sentence.
 */
import type { CallResult } from '../kernel/tool-call.ts'
import type { ToolId } from '../kernel/tool-id.ts'
import { deliver } from '../labels/sink.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { isWaiting } from './call-for-client.ts'
import type { Exchange } from './handle-request.ts'
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  NO_RESOURCE,
  RpcError,
} from './rpc-message.ts'
import { sinkOf } from './client-session.ts'
import { metaOf } from './show-call.ts'

export interface CalledFeature {
  readonly id: ToolId
  readonly args: JsonObject
}

export type FeatureAnswer =
  /** `meta` is spread into the result of the request. */
  | { readonly kind: 'value'; readonly value: Json; readonly meta: JsonObject }
  /** The server asks something first: the whole result of the request. */
  | { readonly kind: 'more'; readonly result: JsonObject }

export type FeatureCall = (called: CalledFeature, exchange: Exchange) => Promise<FeatureAnswer>

/** Makes a call for a client: tells progress, puts the server's questions, keeps the client's patience. */
export type Perform = (
  called: CalledFeature,
  exchange: Exchange,
) => Promise<CallResult | { readonly kind: 'more'; readonly result: JsonObject }>

/** JSON-RPC errors of the server that mean the same of Cordon. */
const PASSED_ON: ReadonlySet<number | undefined> = new Set([
  INVALID_PARAMS,
  NO_RESOURCE,
  METHOD_NOT_FOUND,
])

function codeFor(code: number | undefined, { era }: Exchange): number {
  if (code === undefined || !PASSED_ON.has(code)) return INTERNAL_ERROR
  return code === NO_RESOURCE && era === 'modern' ? INVALID_PARAMS : code
}

export function createFeatureCall(perform: Perform, waiting: string): FeatureCall {
  return async (called, exchange) => {
    const result = await perform(called, exchange)
    if (result.kind === 'more') return result
    if (result.kind === 'refused') {
      throw new RpcError(INTERNAL_ERROR, isWaiting(result) ? waiting : result.reason)
    }
    if (result.kind === 'failed') {
      const { rpcCode, reason, hint } = result
      const code = codeFor(rpcCode, exchange)
      const words = hint === undefined ? reason : `${reason}. ${hint}`
      throw new RpcError(code, words)
    }
    const sink = sinkOf(exchange.session)
    const delivery = deliver(result.value, sink)
    if (delivery.kind === 'withheld') throw new RpcError(INTERNAL_ERROR, delivery.reason)
    return { kind: 'value', value: delivery.value, meta: metaOf(result, sink) }
  }
}
