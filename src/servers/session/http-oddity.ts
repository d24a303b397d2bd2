/**
 * An HTTP answer that is no MCP message, told in words for people: an error status, a web page, a redirect, an empty
 * body. Status and headers decide what it is called. The server's own text is quoted as its own, and decides only
 * whether another credential could help.
 */
import { type CallFailure, failureOfStatus } from '../../kernel/call-failure.ts'
import type { Json } from '../../text/json.ts'
import { isJsonObject } from './json-bounds.ts'
import { retryAfterOf } from './retry-after.ts'

export interface HttpOddity {
  readonly status: number
  readonly code: CallFailure
  /** Completes "The server …". Holds no text of the server but a host, a content type and scopes. */
  readonly what: string
  /** The server's own text; untrusted, neither cleaned nor cut. */
  readonly said?: string
  readonly remedy?: Remedy
  readonly retryAfterSeconds?: number
}

type Remedy = 'address' | 'credential' | 'permissions' | 'plan'

/** Thrown instead of a response; has the shape of the SDK's own HTTP errors. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  readonly oddity: HttpOddity
  readonly data: { readonly status: number }

  constructor(oddity: HttpOddity) {
    super(`The server ${oddity.what}`)
    this.oddity = oddity
    this.data = { status: oddity.status }
  }
}

/** The kind of answer that the transport can take. */
export type Expected = 'message' | 'stream' | 'nothing'

/** Undefined for an answer that the transport can read. */
export function oddityOf(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: string,
  expected: Expected,
  now: number = Date.now(),
): HttpOddity | undefined {
  if (status >= 300 && status < 400) return redirect(status, headers)
  if (status < 200 || status >= 400) return refusal(status, headers, body, now)
  if (expected === 'nothing' || isReadable(status, mediaType(headers), expected)) return undefined
  if (isEmpty(status) || body.trim() === '') return silence(status)
  return { status, code: 'call.unreadable', remedy: 'address', ...page(mediaType(headers), body) }
}

function isReadable(status: number, type: string, expected: Expected): boolean {
  const isMessage = type === 'application/json' && expected === 'message'
  return !isEmpty(status) && (isMessage || type === 'text/event-stream')
}

/** For the person: where to go from here. One imperative sentence, without a full stop. */
export function hintFor({ remedy, retryAfterSeconds }: HttpOddity, id: string): string | undefined {
  if (remedy === 'address') {
    return `Compare its address in \`cordon mcp show ${id}\` with the one that the service gives for MCP; it often ends in /mcp or /sse`
  }
  if (remedy === 'credential') {
    return `Give it a credential that it accepts with \`cordon connect ${id} --again\``
  }
  if (remedy === 'permissions') {
    return `Sign in again, or give it a token that may do more, with \`cordon connect ${id} --again\``
  }
  if (remedy === 'plan') {
    return 'Look up at the service what your account and its plan allow; another token of the same account will not help'
  }
  return retryAfterSeconds === undefined ? undefined : 'Call it again when that time is over'
}

/** RFC 9110 §15.4: a redirect that was not followed. Only its host is named: the rest may hold a token. */
function redirect(status: number, headers: Headers): HttpOddity {
  const location = headers.get('location') ?? ''
  const target = URL.canParse(location) ? new URL(location) : undefined
  const isSignIn = /log-?in|sign-?in|\bsso\b|oauth|authorize/i.test(location)
  const where = target ? ` to ${JSON.stringify(target.hostname)}` : ''
  const what = `redirects${where}${isSignIn ? ', to a page to sign in' : ''}, which is not followed`
  return { status, code: 'call.status', what, remedy: 'address' }
}

function refusal(status: number, headers: Headers, body: string, now: number): HttpOddity {
  const said = wordsIn(body, mediaType(headers))
  const seconds = retryAfterOf(headers, now)
  return {
    status,
    ...judge(status, headers, said ?? ''),
    ...(said !== undefined && { said }),
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  }
}

type Judged = Pick<HttpOddity, 'code' | 'what' | 'remedy'>

function judge(status: number, headers: Headers, said: string): Judged {
  const code = failureOfStatus(status)
  if (status === 403) return judgeForbidden(headers, said)
  if (status === 429) return { code, what: `wants fewer requests (HTTP status ${status})` }
  if (status === 401) return deadToken(status)
  if (status === 402) return notAllowed(status)
  const isNowhere = status === 404 || status === 405
  const what = `answered with HTTP status ${status}`
  return { code, what, ...(isNowhere && { remedy: 'address' }) }
}

/** 403 means a limit, a dead token, missing scopes, or that the account may not; the headers tell which. */
function judgeForbidden(headers: Headers, said: string): Judged {
  const challenge = headers.get('www-authenticate') ?? ''
  if (isSpent(headers)) {
    return { code: 'call.rate-limited', what: 'wants fewer requests (HTTP status 403)' }
  }
  if (isDeadToken(challenge, said)) return deadToken(403)
  if (!/\berror="?insufficient_scope\b/.test(challenge)) return notAllowed(403)
  const what = `wants permissions that the credential does not have${scopesIn(challenge)}`
  return { code: 'call.forbidden', what, remedy: 'permissions' }
}

function deadToken(status: number): Judged {
  const what = `does not accept the credential (HTTP status ${status})`
  return { code: 'call.unauthorized', what, remedy: 'credential' }
}

function notAllowed(status: number): Judged {
  const what = `does not allow this to your account (HTTP status ${status})`
  return { code: 'call.forbidden', what, remedy: 'plan' }
}

/** RFC 6750 §3.1, or words that blame the credential itself. */
function isDeadToken(challenge: string, said: string): boolean {
  if (/\berror="?invalid_token\b/.test(challenge)) return true
  return (
    /\b(?:token|key|credentials?|password|secret)\b/i.test(said) &&
    /\b(?:invalid|expired|revoked|incorrect|wrong|bad|unknown)\b|\bnot valid\b/i.test(said)
  )
}

/** Some services answer 403 where others answer 429. */
function isSpent(headers: Headers): boolean {
  return headers.get('x-ratelimit-remaining') === '0' || headers.has('retry-after')
}

/** The scope syntax of RFC 6749 §3.3; any other text is not shown. */
function scopesIn(challenge: string): string {
  const [, scopes] = /\bscope="([!#-[\]-~]+(?: [!#-[\]-~]+)*)"/.exec(challenge) ?? []
  return scopes === undefined ? '' : `: ${scopes.slice(0, 300)}`
}

function silence(status: number): HttpOddity {
  const what = `answered with nothing (HTTP status ${status})`
  return { status, code: 'call.unreadable', what, remedy: 'address' }
}

/** 202 and 204 have no body, so the answer to a request can never be in it. */
function isEmpty(status: number): boolean {
  return status === 202 || status === 204 || status === 205
}

function page(type: string, body: string): Pick<HttpOddity, 'what' | 'said'> {
  const said = wordsIn(body, type)
  const words = said === undefined ? {} : { said }
  if (!isHtml(type, body)) {
    const shown = /^[\w.+-]{1,40}\/[\w.+-]{1,40}$/.test(type) ? type : 'an unknown type'
    return { what: `answered with ${shown} instead of MCP`, ...words }
  }
  const isSignIn = /<input[^>]{1,200}type=["']?password/i.test(body) || SIGN_IN.test(said ?? '')
  return {
    what: `answered with a web page${isSignIn ? ' to sign in' : ''} instead of MCP`,
    ...words,
  }
}

const SIGN_IN = /\b(?:log|sign)[ -]?(?:in|on)\b/i

/** The error text of a body: a usual member of a JSON object, the title of a web page, or plain text. */
function wordsIn(body: string, type: string): string | undefined {
  if (isHtml(type, body)) return /<title[^>]{0,200}>([^<]{1,300})</i.exec(body)?.[1]?.trim()
  const json = parsed(body)
  const text = json === undefined ? body.trim() : textIn(json)
  return text === undefined || text === '' ? undefined : text
}

const MEMBERS = ['error_description', 'message', 'detail', 'error', 'title', 'reason']

function textIn(value: Json): string | undefined {
  if (typeof value === 'string') return value
  if (!isJsonObject(value)) return undefined
  for (const name of MEMBERS) {
    const text = textIn(value[name] ?? null)
    if (text !== undefined) return text
  }
  return undefined
}

function isHtml(type: string, body: string): boolean {
  return /html/.test(type) || /^\s*<(?:!doctype|html)/i.test(body)
}

/** The message in a body; undefined if it is no JSON. */
export function parsed(body: string): Json | undefined {
  try {
    return JSON.parse(body) as Json
  } catch {
    return undefined
  }
}

function mediaType(headers: Headers): string {
  return (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}
