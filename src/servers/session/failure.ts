/**
 * Failures of a server as sentences for people. The SDK's errors are told apart by their codes, never by their text,
 * and without importing the SDK, which is loaded only when the first server starts.
 */
import { CordonError } from '../../kernel/error.ts'
import { cutText } from '../../text/untrusted-text.ts'
import type { ProcessEnd } from '../../kernel/sandbox-port.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { cleanText, type Redact } from './clean-text.ts'
import { OutOfBounds } from './json-bounds.ts'

const STANDARD_ERROR_LIMIT = 500
const HANDSHAKE_LIMIT = 300

/** From the range that JSON-RPC 2.0 (section 5.1) leaves to implementations. Says nothing: a server may send it, too. */
const NOT_WHOLE_CODE = -32_099
/** The mark of such an error: a server sends JSON, and no JSON is this symbol. */
const NOT_WHOLE = Symbol('not whole')

interface NotWhole {
  readonly code: number
  readonly message: string
  readonly data: unknown
}

/**
 * The JSON-RPC error with which Cordon's transports fail a call whose answer is incomplete. Its message is Cordon's own,
 * and quotes nothing.
 */
export function notWhole(message: string): NotWhole {
  return { code: NOT_WHOLE_CODE, message, data: NOT_WHOLE }
}

export function isNotWhole(error: unknown): boolean {
  return dataOf(error) === NOT_WHOLE
}

/** The server started but failed as an MCP server. The message completes "Server x …". */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure'
}

/** The connection to the server is closed. The message, if any, completes "it …". */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

/** The server did not answer in time. */
export class CallTimeout extends Error {
  override readonly name = 'CallTimeout'
  readonly code = 'REQUEST_TIMEOUT'
}

/** A JSON-RPC error, as the server sent it. */
export class AnsweredNo extends Error {
  override readonly name = 'AnsweredNo'
  readonly code: unknown
  readonly data: unknown

  constructor({ code, message, data }: { readonly [K in 'code' | 'message' | 'data']?: unknown }) {
    super(typeof message === 'string' ? message : 'The server answered with an error')
    this.code = typeof code === 'number' ? code : undefined
    this.data = data
  }
}

const OUT_OF_MEMORY = 'used more memory than its limit of'

export function explainEnd(end: ProcessEnd, { id, sandbox }: ServerDefinition): string {
  if (end.kind === 'exited') return `exited with code ${end.code}`
  if (end.kind === 'signalled') return `was ended by ${end.signal}`
  const mebibytes = Math.round(sandbox.memoryLimitBytes / 2 ** 20)
  return `${OUT_OF_MEMORY} ${mebibytes} MiB; \`cordon mcp edit ${id} --memory ${2 * mebibytes}m\` gives it more`
}

/** Whether a reason is one that `explainEnd` gave for want of memory. */
export function isOutOfMemory(reason: string): boolean {
  return reason.startsWith(OUT_OF_MEMORY)
}

/** Completes "Server x …", for an error of the handshake or of `tools/list`; `lateMs` is set after a timeout. */
export function explainHandshake(
  error: unknown,
  lateMs: number | undefined,
  redact: Redact,
): string {
  if (error instanceof OutOfBounds) return `gave an answer that ${error.message}`
  if (lateMs !== undefined) return `did not answer within ${seconds(lateMs)}`
  const status = statusOf(error)
  if (status !== undefined) return `answered with HTTP status ${status}`
  if (isMalformed(error)) return 'answered with JSON that is no MCP message'
  const text = cleanText(textOf(error), redact, HANDSHAKE_LIMIT)
  const isAnswer = typeof codeOf(error) === 'number'
  return `${isAnswer ? 'answered with an error' : 'cannot be spoken with'}: ${text}`
}

/** The `CordonError` in the chain of causes, if another room refused or failed to connect: it is shown as it is. */
export function ownErrorIn(error: unknown): CordonError | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (at instanceof CordonError) return at
  }
  return undefined
}

export function isUnauthorized(error: unknown): boolean {
  const status = statusOf(error)
  return status === 401 || status === 403
}

/** The answer is JSON, or should be, and no message or no result of MCP: the error is of the SDK's own parser. */
export function isMalformed(error: unknown): boolean {
  const name = error instanceof Error ? error.name : ''
  return MALFORMED.has(name) || MALFORMED.has(String(codeOf(error)))
}

const MALFORMED = new Set(['ZodError', '$ZodError', 'SyntaxError', 'INVALID_RESULT'])

/** The URL does not speak Streamable HTTP; perhaps it speaks the older HTTP+SSE transport. */
export function isNoSuchEndpoint(error: unknown): boolean {
  const status = statusOf(error)
  return status === 400 || status === 404 || status === 405
}

export function isTimeout(error: unknown): boolean {
  return codeOf(error) === 'REQUEST_TIMEOUT'
}

/** Whether the connection is closed, so that no answer can come any more. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  return error instanceof ConnectionLost || code === 'CONNECTION_CLOSED' || code === 'NOT_CONNECTED'
}

/** The server ended at the probe for its era: some servers accept no request before `initialize`. */
export function endedOnProbe(error: unknown): boolean {
  return codeOf(error) === 'ERA_NEGOTIATION_FAILED'
}

/** The server answered, with an error or with a result that is none. An HTTP status is no answer of the server itself. */
export function isErrorAnswer(error: unknown): boolean {
  const code = codeOf(error)
  return (typeof code === 'number' && statusOf(error) === undefined) || code === 'INVALID_RESULT'
}

/** The server answered with an error, so the stored protocol era may be out of date. */
export function isAnsweredNo(error: unknown): boolean {
  const code = codeOf(error)
  return typeof code === 'number' || code === 'INVALID_RESULT' || code === 'ERA_NEGOTIATION_FAILED'
}

/** How many of a server's last lines are told. */
export const LAST_WORDS = 5

/** The reason with the server's last lines of standard error, which are sanitised already. */
export function withLastWords(reason: string, lines: readonly string[]): string {
  // The runtime that ran out of memory prints its stack, which tells people nothing.
  return isOutOfMemory(reason) ? reason : reason + lastWords(lines)
}

function lastWords(lines: readonly string[]): string {
  const text = cutText(lines.join(' | '), STANDARD_ERROR_LIMIT)
  return text === '' ? '' : `; it last said: ${text}`
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** The data of an error: of a server's JSON-RPC error its own, untrusted; of the SDK's HTTP errors the status. */
export function dataOf(error: unknown): unknown {
  return error instanceof Error && 'data' in error ? error.data : undefined
}

export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  const code = codeOf(error)
  // A numeric code is the server's JSON-RPC code, except in an SSE error, which alone has `event`: an HTTP status.
  if (typeof code === 'number') return 'event' in error ? code : undefined
  const data = dataOf(error)
  const status =
    typeof data === 'object' && data !== null && 'status' in data ? data.status : undefined
  return typeof status === 'number' ? status : undefined
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function seconds(ms: number): string {
  return ms >= 1000 ? `${Math.round(ms / 1000)}s` : `${ms}ms`
}
