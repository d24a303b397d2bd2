/**
 * Every way this room says no, in one table: the HTTP status, and the words a person gets.
 * A refusal never tells a stranger what runs here or which part of a credential was right.
 */
import { CordonError, type ExitCode } from '../kernel/error.ts'

export type Reason =
  | 'host'
  | 'method'
  | 'origin'
  | 'fetch-site'
  | 'content-type'
  | 'session'
  | 'csrf'
  | 'link'
  | 'nonce'
  | 'too-many'
  | 'too-large'
  | 'json'
  | 'not-found'
  | 'terminal-only'

export type HttpStatus = 400 | 401 | 403 | 404 | 405 | 413 | 415 | 421 | 423 | 429 | 500 | 503

interface Spec {
  readonly status: HttpStatus
  readonly exit: ExitCode
  readonly message: string
  readonly hint: string
}

const OPEN = 'Run `cordon open` in a terminal, then open the link it shows'
const OWN_PAGE = 'Use the page at the address that `cordon status` shows'

const SPECS: Readonly<Record<Reason, Spec>> = {
  host: { status: 421, exit: 3, message: 'Cannot answer for this host', hint: OWN_PAGE },
  method: {
    status: 405,
    exit: 2,
    message: 'Cannot answer this method here',
    hint: 'Use POST for the API and GET for the page',
  },
  origin: {
    status: 403,
    exit: 3,
    message: 'Cannot accept a request that another page makes',
    hint: OWN_PAGE,
  },
  'fetch-site': {
    status: 403,
    exit: 3,
    message: 'Cannot accept a request that starts on another site',
    hint: OWN_PAGE,
  },
  'content-type': {
    status: 415,
    exit: 2,
    message: 'Cannot read this content type',
    hint: 'Send application/json',
  },
  session: { status: 401, exit: 3, message: 'Cannot answer without a session', hint: OPEN },
  csrf: { status: 403, exit: 3, message: "Cannot accept this browser's token", hint: OPEN },
  link: {
    status: 401,
    exit: 3,
    message: 'Cannot sign in with this link: it was used, is too old, or was never made',
    hint: 'Run `cordon open` in a terminal for a new link',
  },
  nonce: {
    status: 403,
    exit: 3,
    message: 'Cannot accept this form: it was sent before, or is too old',
    hint: 'Open the address of the form again',
  },
  'too-many': {
    status: 429,
    exit: 3,
    message: 'Cannot sign in: too many links that do not work',
    hint: 'Wait a minute, then run `cordon open` in a terminal for a new link',
  },
  'too-large': {
    status: 413,
    exit: 2,
    message: 'Cannot accept a body of more than 1 MiB',
    hint: 'Send less in one request',
  },
  json: {
    status: 400,
    exit: 2,
    message: 'Cannot read the body as JSON',
    hint: 'Send one JSON object in UTF-8, nested at most 32 deep',
  },
  'not-found': {
    status: 404,
    exit: 2,
    message: 'Cannot find this address',
    hint: 'Run `cordon --help` to see what there is',
  },
  'terminal-only': {
    status: 403,
    exit: 3,
    message: 'Cannot do this from a browser',
    hint: 'Run the command in a terminal',
  },
}

const STATUS_OF_EXIT: Readonly<Record<ExitCode, HttpStatus>> = {
  1: 500,
  2: 400,
  3: 403,
  4: 423,
  5: 503,
}
const STATUS_OF_CODE: ReadonlyMap<string, HttpStatus> = new Map(
  Object.entries(SPECS).map(([reason, spec]) => [`web.${reason}`, spec.status]),
)

/** Its code is `web.<reason>`. */
export function refusal(reason: Reason): CordonError {
  const { message, ...spec } = SPECS[reason]
  return new CordonError(`web.${reason}`, spec, message)
}

export function httpStatus(error: CordonError): HttpStatus {
  return STATUS_OF_CODE.get(error.code) ?? STATUS_OF_EXIT[error.exit]
}
