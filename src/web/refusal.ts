/**
 * Every refusal of this room in one table: the HTTP status, and the text for a person. A refusal never tells a stranger
 * what runs here or which part of a credential was right.
 */
import { CordonError, type ErrorBody, type ExitCode } from '../kernel/error.ts'

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

interface Spec extends ErrorBody {
  readonly status: HttpStatus
}

const OPEN = 'Run `cordon open` in a terminal, then open the link it shows'
const OWN_PAGE = 'Use the page at the address that `cordon status` shows'

const SPECS: Readonly<Record<Reason, Spec>> = {
  host: {
    code: 'web.host',
    status: 421,
    exit: 3,
    message: 'Cannot answer for this host',
    hint: OWN_PAGE,
  },
  method: {
    code: 'web.method',
    status: 405,
    exit: 2,
    message: 'Cannot answer this method here',
    hint: 'Use POST for the API and GET for the page',
  },
  origin: {
    code: 'web.origin',
    status: 403,
    exit: 3,
    message: 'Cannot accept a request that another page makes',
    hint: OWN_PAGE,
  },
  'fetch-site': {
    code: 'web.fetch-site',
    status: 403,
    exit: 3,
    message: 'Cannot accept a request that starts on another site',
    hint: OWN_PAGE,
  },
  'content-type': {
    code: 'web.content-type',
    status: 415,
    exit: 2,
    message: 'Cannot read this content type',
    hint: 'Send application/json',
  },
  session: {
    code: 'web.session',
    status: 401,
    exit: 3,
    message: 'Cannot answer without a session',
    hint: OPEN,
  },
  csrf: {
    code: 'web.csrf',
    status: 403,
    exit: 3,
    message: "Cannot accept this browser's token",
    hint: OPEN,
  },
  link: {
    code: 'web.link',
    status: 401,
    exit: 3,
    message: 'Cannot sign in with this link: it was used, is too old, or was never made',
    hint: 'Run `cordon open` in a terminal for a new link',
  },
  nonce: {
    code: 'web.nonce',
    status: 403,
    exit: 3,
    message: 'Cannot accept this form: it was sent before, or is too old',
    hint: 'Open the address of the form again',
  },
  'too-many': {
    code: 'web.too-many',
    status: 429,
    exit: 3,
    message: 'Cannot sign in: too many links that do not work',
    hint: 'Wait a minute, then run `cordon open` in a terminal for a new link',
  },
  'too-large': {
    code: 'web.too-large',
    status: 413,
    exit: 2,
    message: 'Cannot accept a body of more than 1 MiB',
    hint: 'Send less in one request',
  },
  json: {
    code: 'web.json',
    status: 400,
    exit: 2,
    message: 'Cannot read the body as JSON',
    hint: 'Send one JSON object in UTF-8, nested at most 32 deep',
  },
  'not-found': {
    code: 'web.not-found',
    status: 404,
    exit: 2,
    message: 'Cannot find this address',
    hint: 'Run `cordon --help` to see what there is',
  },
  'terminal-only': {
    code: 'web.terminal-only',
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
  Object.values(SPECS).map(({ code, status }) => [code, status]),
)

export function refusal(reason: Reason): CordonError {
  const spec = SPECS[reason]
  return new CordonError(spec.code, spec, spec.message)
}

export function httpStatus(error: CordonError): HttpStatus {
  return STATUS_OF_CODE.get(error.code) ?? STATUS_OF_EXIT[error.exit]
}
