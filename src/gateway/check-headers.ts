/**
 * The headers that MCP 2026-07-28 mirrors from the body: an intermediary that judged by them must have judged the body.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
import { headerOf, type HttpHeaders } from './http-request.ts'
import { HEADER_MISMATCH, RpcError, type RpcRequest } from './rpc-message.ts'

const ENCODED = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/

/** Throws unless the headers say what the body says. */
export function checkHeaders(headers: HttpHeaders, { method, params }: RpcRequest): void {
  if (headerOf(headers, 'mcp-method') !== method) throw mismatch('Mcp-Method')
  const named = method === 'resources/read' ? params['uri'] : params['name']
  const hasName = /^(?:tools\/call|prompts\/get|resources\/read)$/.test(method)
  if (hasName && decoded(headerOf(headers, 'mcp-name')) !== named) throw mismatch('Mcp-Name')
}

function decoded(header: string | undefined): string | undefined {
  const [, base64] = ENCODED.exec(header ?? '') ?? []
  return base64 === undefined ? header : Buffer.from(base64, 'base64').toString('utf8')
}

function mismatch(header: string): RpcError {
  return new RpcError(HEADER_MISMATCH, `The header ${header} does not say what the body says`)
}
