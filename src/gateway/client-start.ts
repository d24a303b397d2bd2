/**
 * A flow as a client gives it, and the start that it becomes. Its literals carry the label of the client's words, its
 * inputs as well unless they name a kept result; its limits are the client's own, read anew at every step.
 */
import type { ForeseenStart, FlowSource } from '../ports/flow-port.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { type ClientSession, wordsLabel } from './client-session.ts'
import { clientTemplate } from './client-template.ts'
import { labelArguments } from './label-arguments.ts'
import { INVALID_PARAMS, isObject, RpcError } from './rpc-message.ts'

/** A sentence if an input names a result that is not there. */
export function clientStart(
  session: ClientSession,
  source: FlowSource,
  inputs: JsonObject,
): ForeseenStart | string {
  const words = wordsLabel(session)
  const labelled = labelArguments(session, inputs, words)
  if (typeof labelled === 'string') return labelled
  const template = clientTemplate(session, source.kind === 'saved')
  return { source, principal: session.principal, words, labelled, template }
}

export function readFlow({ flow, inputs = {} }: JsonObject): {
  readonly source: FlowSource
  readonly inputs: JsonObject
} {
  if (!isObject(inputs)) throw new RpcError(INVALID_PARAMS, 'inputs has to be an object')
  if (isObject(flow)) return { source: { kind: 'ir', ir: flow }, inputs }
  if (typeof flow !== 'string') {
    throw new RpcError(INVALID_PARAMS, 'flow has to be a text, or an object')
  }
  const ir = jsonIn(flow)
  return { source: ir === undefined ? { kind: 'text', text: flow } : { kind: 'ir', ir }, inputs }
}

function jsonIn(flow: string): Json | undefined {
  if (!flow.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(flow) as Json
  } catch {
    throw new RpcError(INVALID_PARAMS, 'flow begins like JSON and is none')
  }
}
