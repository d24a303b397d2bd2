/**
 * Maps a failed call to an action, which an edge of the flow may handle, and to words for people: a sentence for the
 * action, then the reason, quoted if it is the server's own text. The host's error code decides. Without a code that
 * text is matched; it is untrusted, but can only choose among these few actions. Pure.
 */
import type { FailedCall } from '../../kernel/call-failure.ts'
import { seenLine } from '../../text/untrusted-text.ts'

export const ERROR_ACTIONS = [
  'rate_limited',
  'auth_failed',
  'forbidden',
  'resource_missing',
  'timeout',
  'server_error',
  'network_error',
  'error',
] as const
export type ErrorAction = (typeof ERROR_ACTIONS)[number]

/** The action of a node that ended without an error. */
export const DEFAULT_ACTION = 'default'

export interface Failure {
  readonly action: ErrorAction
  readonly message: string
  /** The pause that the server asked for. */
  readonly retryAfterSeconds?: number
}

const MAX_REASON = 500
/** A reason of the host may hold a whole address. */
const MAX_OWN_REASON = 3000
const MAX_WAIT_SECONDS = 60

/** By error code of the host; any other code is an `error`. */
const BY_CODE: ReadonlyMap<string, ErrorAction> = new Map([
  ['call.timeout', 'timeout'],
  ['call.unauthorized', 'auth_failed'],
  ['call.forbidden', 'forbidden'],
  ['call.missing', 'resource_missing'],
  ['call.rate-limited', 'rate_limited'],
  ['call.server-error', 'server_error'],
  ['call.lost', 'network_error'],
  ['call.unreachable', 'network_error'],
  ['egress.bad-url', 'network_error'],
  ['egress.local-unavailable', 'network_error'],
  ['egress.no-pipe', 'network_error'],
  ['egress.not-allowed', 'network_error'],
  ['egress.private-address', 'network_error'],
  ['egress.unreachable', 'network_error'],
  ['servers.insecure', 'network_error'],
])

/** Phrases in the error texts of servers, for failures without a code. */
const SIGNS: readonly (readonly [ErrorAction, RegExp])[] = [
  ['rate_limited', /\b429\b|\brate[ _-]?limit|\btoo many requests\b|\bquota exceeded\b/i],
  [
    'auth_failed',
    /\b401\b|\bunauthori[sz]ed\b|\bbad credentials\b|\b(?:invalid|expired) (?:api )?(?:token|key)\b/i,
  ],
  [
    'forbidden',
    /\b403\b|\bforbidden\b|\bpermission denied\b|\baccess denied\b|\binsufficient scope/i,
  ],
  [
    'resource_missing',
    /\b404\b|\bnot[ _]found\b|\bno such (?:file|page|repo\w*|issue|channel)\b|\bENOENT\b/i,
  ],
  ['timeout', /\btimed?[ -]?out\b|\bETIMEDOUT\b/i],
  [
    'network_error',
    /\bECONN(?:REFUSED|RESET)\b|\bENOTFOUND\b|\bEAI_AGAIN\b|\bnetwork (?:error|unavailable)\b|\bfetch failed\b/i,
  ],
  ['server_error', /\b50[0-4]\b|\bserver error\b|\bbad gateway\b|\bservice unavailable\b/i],
]

type Sentence = (server: string, reason: string) => string

const TEXTS: Readonly<Record<Exclude<ErrorAction, 'error'>, Sentence>> = {
  rate_limited: (server) => `${server} API rate limit exceeded. Please try again later.`,
  auth_failed: (server) => `Authentication failed. Check your ${server} token.`,
  forbidden: (_server, reason) =>
    ABOUT_TOKEN.test(reason) ? 'Permission denied. Check your token scopes.' : 'Permission denied.',
  resource_missing: (server) =>
    `Resource not found. Check ${/^git/i.test(server) ? 'repository and query' : 'what was asked for'}.`,
  timeout: () => 'Request timed out. Please try again.',
  server_error: (server) => `${server} server error. Please try again later.`,
  network_error: () => 'Network error. Check your connection.',
}

/** A server of files denies access as well, and has no token. */
const ABOUT_TOKEN = /\b403\b|\bforbidden\b|\bscopes?\b|\btoken\b|\bpermissions\b/i

export function failureOf(failed: FailedCall, serverName: string): Failure {
  const { code, reason, retryAfterSeconds } = failed
  const text = seenLine(reason, code === undefined ? MAX_REASON : MAX_OWN_REASON)
  const action = (code === undefined ? actionIn(text) : BY_CODE.get(code)) ?? 'error'
  const message = messageOf(action, { code, text, server: seenLine(serverName, 60) })
  const asked = retryAfterSeconds ?? (action === 'rate_limited' ? waitIn(text) : undefined)
  return { action, message, ...(asked !== undefined && { retryAfterSeconds: bounded(asked) }) }
}

interface Told {
  readonly code: string | undefined
  readonly text: string
  readonly server: string
}

function messageOf(action: ErrorAction, { code, text, server }: Told): string {
  if (action === 'error') return `MCP error: ${text}`
  // Cordon itself refused or could not make the connection: its own sentence says which, and why.
  if (code !== undefined && !code.startsWith('call.')) return `${text}.`
  const sentence = TEXTS[action](server, code === undefined ? text : '')
  return code === undefined
    ? `${sentence} ${server} said: ${JSON.stringify(text)}`
    : `${sentence} ${text}`
}

/** A word in an address, such as `?timeout=32s`, is no sign. */
function actionIn(text: string): ErrorAction | undefined {
  const words = text.replaceAll(/\b[a-z]{2,10}:\/\/[^\s"']{1,500}/gi, ' ')
  return SIGNS.find(([, sign]) => sign.test(words))?.[0]
}

/** Exponential backoff: 1, 2, 4 … 60 seconds before the first, the second, the third … retry. */
export function backoffSeconds(retry: number): number {
  return Math.min(2 ** Math.max(0, retry), MAX_WAIT_SECONDS)
}

/** `Retry-After: 30`, `try again in 30 seconds`. */
function waitIn(text: string): number | undefined {
  const found = /\bretry[ -]after[:= ]{1,3}(\d{1,6})\b|\bin (\d{1,6}) ?s(?:ec\w{0,5})?\b/i.exec(
    text,
  )
  return found ? Number(found[1] ?? found[2]) : undefined
}

/** At least one second, and at most the longest backoff. */
function bounded(seconds: number): number {
  return Math.min(Math.max(1, seconds), MAX_WAIT_SECONDS)
}
