/**
 * The failure of a call as one sentence for people, with the next step. Only a failure that Cordon observed itself has a
 * code; text of the server is quoted as its own, and a page that it names is shown whole and never opened. A code does not
 * say whose the words are: a failure without any of the server is marked as Cordon's own.
 */
import { callFailed, type FailedCall, ownFailure } from '../../kernel/call-failure.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import { cleanText, type Redact } from './clean-text.ts'
import {
  codeOf,
  ConnectionLost,
  dataOf,
  isConnectionLost,
  isMalformed,
  isNotWhole,
  isTimeout,
  seconds,
  statusOf,
  textOf,
} from './failure.ts'
import { hintFor, HttpFailure, type HttpOddity, oddityOf } from './http-oddity.ts'
import { cleanJson, isJsonObject } from './json-bounds.ts'
import { readQuestion } from './question.ts'
import { retryAfterIn, showWait } from './retry-after.ts'

const MAX_SAID = 300
const MOST_PAGES = 3
const MAX_DATA = 2 ** 16
const NO_MESSAGE = 'The server answered with JSON that is no MCP message'

/** MCP 2025-11-25: the call cannot go on before its user has visited a page. */
const VISIT_FIRST = -32_042

/** Errors of calls that need more than arguments, by the SDK's code. */
const CALL_ERRORS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [
    'UNSUPPORTED_RESULT_TYPE',
    'The server asks the owner a question first, which cannot be put from here',
  ],
  ['CAPABILITY_NOT_SUPPORTED', 'The server asks for a model or for folders, which are not offered'],
  ['INPUT_REQUIRED_ROUNDS_EXCEEDED', 'The server keeps asking and never answers'],
])

interface CallContext {
  readonly callMs: number
  readonly redact: Redact
  /** The server, as people name it. */
  readonly id: string
}

export function explainCall(error: unknown, context: CallContext, signal: AbortSignal): FailedCall {
  const { callMs, redact, id } = context
  if (signal.aborted) return ownFailure(callFailed('call.cancelled', 'The call was cancelled'))
  if (isTimeout(error)) {
    return ownFailure(callFailed('call.timeout', `Tool call timed out after ${seconds(callMs)}`))
  }
  if (codeOf(error) === VISIT_FIRST) return visitFirst(dataOf(error), context)
  const known = CALL_ERRORS.get(codeOf(error))
  if (known !== undefined) return ownFailure(callFailed('call.unsupported', known))
  if (isConnectionLost(error)) {
    const why = error instanceof ConnectionLost ? `: it ${error.message}` : ''
    return callFailed('call.lost', `The server ended while it worked on the call${why}`)
  }
  const oddity = oddityIn(error)
  return oddity ? explainOddity(oddity, id, redact) : explainAnswer(error, redact)
}

/** The server answered the call with an error, or with what is no answer. */
function explainAnswer(error: unknown, redact: Redact): FailedCall {
  if (isMalformed(error)) {
    return ownFailure(callFailed('call.unreadable', NO_MESSAGE))
  }
  const reason = cleanText(textOf(error), redact)
  if (isNotWhole(error)) return ownFailure(callFailed('call.unreadable', reason))
  const wait = retryAfterIn(dataOf(error))
  const code = codeOf(error)
  const numbered = typeof code === 'number' && { rpcCode: code }
  if (wait === undefined) return { kind: 'failed', reason, ...numbered }
  return { kind: 'failed', reason: reason + waiting(wait), retryAfterSeconds: wait, ...numbered }
}

/** ` wants fewer requests (HTTP status 429); it asks to wait for 30 seconds`: completes "The server". */
export function describeOddity(
  { what, said, retryAfterSeconds }: Pick<HttpOddity, 'what' | 'said' | 'retryAfterSeconds'>,
  redact: Redact,
): string {
  const words = said === undefined ? '' : seenLine(cleanText(said, redact, 2 * MAX_SAID), MAX_SAID)
  const quoted = words === '' ? '' : `; it says: ${JSON.stringify(words)}`
  return `${what}${quoted}${retryAfterSeconds === undefined ? '' : waiting(retryAfterSeconds)}`
}

function explainOddity(oddity: HttpOddity, id: string, redact: Redact): FailedCall {
  const { code, retryAfterSeconds } = oddity
  return {
    ...callFailed(code, `The server ${describeOddity(oddity, redact)}`, hintFor(oddity, id)),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  }
}

/** Of an error status that the SDK reports itself only the text of the body is known. */
function oddityIn(error: unknown): HttpOddity | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  const own = [error, cause].find((one) => one instanceof HttpFailure)
  if (own) return own.oddity
  const status = statusOf(error)
  if (status === undefined) return undefined
  const { text = '' } = (dataOf(error) ?? {}) as { readonly text?: unknown }
  const response = { status, headers: new Headers() }
  return oddityOf(response, typeof text === 'string' ? text : '', 'message')
}

function visitFirst(data: unknown, { id, redact }: CallContext): FailedCall {
  const asked = isJsonObject(data) ? data['elicitations'] : undefined
  const pages = (Array.isArray(asked) ? asked.slice(0, MOST_PAGES) : []).flatMap((page) => {
    const { url, message = '' } = isJsonObject(page) ? page : {}
    const clean = cleanJson({ mode: 'url', url: url ?? '', message }, redact, MAX_DATA)
    const reading = isJsonObject(clean) ? readQuestion(clean) : undefined
    return reading?.kind === 'question' && reading.question.kind === 'visit'
      ? [reading.question]
      : []
  })
  const [first] = pages
  const server = JSON.stringify(id)
  if (!first) {
    const reason = `Server ${server} wants you to visit a page first, but names none with a plain https address`
    return callFailed('call.unsupported', reason)
  }
  const words = seenLine(first.message, MAX_SAID)
  const said = words === '' ? '' : `; it says: ${JSON.stringify(words)}`
  const reason = `Server ${server} wants you to visit a page first: ${pages.map(({ url }) => url).join(' and ')}${said}`
  const hint = `Open it yourself if you trust ${id} with that, then call it again; Cordon never opens it for you`
  return callFailed('call.unsupported', reason, hint)
}

function waiting(wait: number): string {
  return `; it asks to wait ${showWait(wait)}`
}
