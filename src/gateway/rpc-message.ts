/** JSON-RPC 2.0 as MCP uses it: messages read from untrusted JSON, and the errors of the specification. Pure. */
import { isDeeperThan } from '../text/bounded-json.ts'
import type { Json, JsonObject } from '../text/json.ts'

export type RpcId = string | number

export interface RpcRequest {
  readonly kind: 'request'
  readonly id: RpcId
  readonly method: string
  readonly params: JsonObject
}
export interface RpcNotification {
  readonly kind: 'notification'
  readonly method: string
  readonly params: JsonObject
}
/** The client's answer to a request of ours. */
export interface RpcResponse {
  readonly kind: 'response'
  readonly id: RpcId
  readonly result?: Json
}
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse

export const PARSE_ERROR = -32_700
export const INVALID_REQUEST = -32_600
export const METHOD_NOT_FOUND = -32_601
export const INVALID_PARAMS = -32_602
export const INTERNAL_ERROR = -32_603
/** MCP before 2026-07-28: there is no such resource; since then that is a wrong parameter. */
export const NO_RESOURCE = -32_002
/** MCP 2026-07-28: a header says something else than the body. */
export const HEADER_MISMATCH = -32_020
export const UNSUPPORTED_VERSION = -32_022

/** An answer that is an error of the protocol. Everything a tool has to say is a result instead. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: Json | undefined

  constructor(code: number, message: string, data?: Json) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Levels of nesting in a message: deeper ones could exhaust the stack of a later walk. */
const DEEPEST = 128

/** Throws an `RpcError` for anything that is no message, with the code that the specification gives it. */
export function readMessage(value: unknown): RpcMessage {
  if (Array.isArray(value)) throw new RpcError(INVALID_REQUEST, 'Batches are not supported')
  if (!isObject(value) || value['jsonrpc'] !== '2.0' || isDeeperThan(value, DEEPEST)) {
    throw new RpcError(INVALID_REQUEST, 'This is no JSON-RPC message')
  }
  const { id, method, params = {} } = value
  if (typeof method !== 'string') return responseIn(value)
  if (!isObject(params)) throw new RpcError(INVALID_PARAMS, 'params has to be an object')
  if (id === undefined) return { kind: 'notification', method, params }
  if (!isId(id)) throw new RpcError(INVALID_REQUEST, 'An id has to be a string or an integer')
  return { kind: 'request', id, method, params }
}

function responseIn({ id, result, error }: JsonObject): RpcResponse {
  const isAnswer = isId(id) && (result === undefined) !== (error === undefined)
  if (!isAnswer) throw new RpcError(INVALID_REQUEST, 'This is no JSON-RPC message')
  return { kind: 'response', id, ...(result !== undefined && { result }) }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isId(value: unknown): value is RpcId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

export function resultMessage(id: RpcId, result: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, result }
}

/** The id of a request that is refused as a whole; null where it has none. An answer to a request of ours has none either. */
export function idIn(text: string): RpcId | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value) || 'result' in value || 'error' in value) return null
    const { id } = value
    return typeof id === 'string' || typeof id === 'number' ? id : null
  } catch {
    return null
  }
}

/** `id` is null where the request could not be read. */
export function errorMessage(id: RpcId | null, error: RpcError): JsonObject {
  const { code, message, data } = error
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }
}

export function notificationMessage(method: string, params: JsonObject): JsonObject {
  return { jsonrpc: '2.0', method, params }
}
