/**
 * Maps a failed call to an action, which an edge of the flow may handle, and to words for people: what the server said,
 * quoted and named as the server's, then what Cordon can add. The host's error code decides about the action. Without a
 * code the server's text is matched; it is untrusted, but can only choose among these few actions. Pure.
 */
import type { FailedCall } from '../../kernel/call-failure.ts'
import { cutText, seenLine, seenText } from '../../text/untrusted-text.ts'

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
  /** The server's own text in full, where the message has only its beginning or has it on one line. */
  readonly said?: string
  /** The pause that the server asked for. */
  readonly retryAfterSeconds?: number
}

const MAX_REASON = 500
/** For `flow show`. */
const MAX_SAID = 10_000
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

/** Status codes and phrases in the error texts of servers, for failures without a code. The first that fits decides. */
const SIGNS: readonly (readonly [ErrorAction, readonly string[], RegExp])[] = [
  ['rate_limited', ['429'], /\brate[ _-]?limit|\btoo many requests\b|\bquota exceeded\b/i],
  [
    'auth_failed',
    ['401'],
    /\bunauthori[sz]ed\b|\bbad credentials\b|\bexpired (?:api |access )?(?:token|key)\b|\binvalid (?:api|access|auth\w*|bearer|oauth|refresh|session) (?:token|key)\b/i,
  ],
  [
    'auth_failed',
    [],
    /^(?=.*\b(?:auth\w*|bearer|credentials?|jwt|log[ -]?in|oauth|revoked|sign[ -]?in)\b).*\binvalid (?:token|key)\b/i,
  ],
  // A parser knows tokens too, and says where it met one.
  [
    'auth_failed',
    [],
    /^(?!.*(?:syntax|pars(?:e|er|ing)\b|unexpected|\b(?:line|column|position) \d)).*\binvalid token(?=[.!)"'\s]*$|[.!,;])/i,
  ],
  [
    'forbidden',
    ['403'],
    /\bforbidden\b|\bpermission denied\b|\baccess denied\b|\binsufficient scope/i,
  ],
  [
    'resource_missing',
    ['404'],
    /\bnot[ _]found\b|\bno such (?:file|page|repo\w*|issue|channel)\b|\bENOENT\b/i,
  ],
  // Before `timeout`: a client that names its own time limit was refused all the same.
  [
    'network_error',
    [],
    /\bECONN(?:REFUSED|RESET)\b|\bconnection (?:refused|reset)\b|\bENOTFOUND\b|\bno such host\b|\bEAI_AGAIN\b|\bnetwork (?:error|unavailable)\b|\bfetch failed\b/i,
  ],
  ['timeout', [], /\btimed?[ -]?out\b(?! ?[=:])|\bETIMEDOUT\b/i],
  [
    'server_error',
    ['500', '501', '502', '503', '504'],
    /\bserver error\b|\bbad gateway\b|\bservice unavailable\b/i,
  ],
]

/**
 * A number is a status code only beside a word that says so, or first in the text or after "error" where no noun follows
 * it: "Row 401 has no name", "Only 500 of 900 rows" and "404 rows were skipped" count something.
 */
const STATUS_CODES: readonly RegExp[] = [
  /\bHTTP(?:\/\d(?:\.\d)?)?(?:[ _-]?(?:error|status|response|code)){0,2}["']?[ :=(]{0,3}(\d{3})\b/gi,
  /\bstatus(?:[ _-]?code)?["']?(?: (?:of|was|is))?[ :=("']{0,3}(\d{3})\b/gi,
  /(?<![a-z])(?:error)?code["']?[ :=("']{0,3}(\d{3})\b/gi,
  /^[("[]{0,2}(\d{3})\b(?![.,/]\d| ?[a-z])/g,
  /[Ee](?:rror|RROR)[ :([]{1,3}(\d{3})\b(?![.,/]\d| ?[a-z])/g,
]

type Sentence = (server: string, said: string) => string

/** Sentences of Cordon after the server's own words; empty where one would only be a guess. */
const ADDED: Readonly<Record<ErrorAction, Sentence>> = {
  rate_limited: (server) => `${server} API rate limit exceeded. Please try again later.`,
  auth_failed: (server) => `Authentication failed. Check your ${server} token.`,
  forbidden: (_server, said) =>
    ABOUT_TOKEN.test(said) || statusCodesIn(said).has('403')
      ? 'Permission denied. Check your token scopes.'
      : '',
  resource_missing: (server) =>
    /^git/i.test(server) ? 'Resource not found. Check repository and query.' : '',
  timeout: () => '',
  server_error: (server) => `${server} server error. Please try again later.`,
  network_error: (server) => `${server} could not reach what it calls.`,
  error: () => '',
}

/** Sentences about a failure that the host observed itself; the reason of the host follows. */
const OBSERVED: Readonly<Record<ErrorAction, Sentence>> = {
  ...ADDED,
  forbidden: () => 'Permission denied.',
  resource_missing: () => 'Resource not found.',
  timeout: () => 'Request timed out. Please try again.',
  network_error: () => '',
}

/** A server of files denies access as well, and has no token. */
const ABOUT_TOKEN = /\bscopes?\b|\btoken\b/i

export function failureOf(failed: FailedCall, serverName: string): Failure {
  const { code, reason, retryAfterSeconds } = failed
  const text = seenLine(reason, code === undefined ? MAX_REASON : MAX_OWN_REASON)
  const action = (code === undefined ? actionIn(text) : BY_CODE.get(code)) ?? 'error'
  const message = messageOf(action, { code, text, server: seenLine(serverName, 60) })
  const asked = retryAfterSeconds ?? (action === 'rate_limited' ? waitIn(text) : undefined)
  return {
    action,
    message,
    ...(code === undefined && saidIn(reason, text)),
    ...(asked !== undefined && { retryAfterSeconds: bounded(asked) }),
  }
}

function saidIn(reason: string, quoted: string): Pick<Failure, 'said'> {
  const said = cutText(seenText(reason).trim(), MAX_SAID)
  return said === quoted ? {} : { said }
}

interface Told {
  readonly code: string | undefined
  readonly text: string
  readonly server: string
}

function messageOf(action: ErrorAction, { code, text, server }: Told): string {
  if (code === undefined) {
    const said = `${server} said: ${JSON.stringify(text)}`
    const added = ADDED[action](server, withoutPlaces(text))
    return added === '' ? said : `${said}. ${added}`
  }
  // Cordon itself refused or could not make the connection: its own sentence says which, and why.
  const observed = code.startsWith('call.') ? OBSERVED[action](server, '') : ''
  return observed === '' ? `${text}.` : `${observed} ${text}`
}

function actionIn(text: string): ErrorAction | undefined {
  const words = withoutPlaces(text)
  const codes = statusCodesIn(words)
  const found = SIGNS.find(([, known, phrase]) => {
    return known.some((code) => codes.has(code)) || phrase.test(words)
  })
  return found?.[0]
}

function statusCodesIn(text: string): ReadonlySet<string> {
  const found = STATUS_CODES.flatMap((form) => Array.from(text.matchAll(form), ([, code]) => code))
  return new Set(found.filter((code) => code !== undefined))
}

/** A word in an address or a path, such as `?timeout=32s` or `/srv/forbidden/a`, is no sign. */
function withoutPlaces(text: string): string {
  return text
    .replaceAll(/\b[a-z]{2,10}:\/\/[^\s"']{1,500}/gi, ' ')
    .replaceAll(/(?<![^\s"'(=:])(?:~|\.{1,2})?\/[^\s"']{1,500}/g, ' ')
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
