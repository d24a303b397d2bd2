/**
 * The reason why a sign-in failed, as one clause for people, and their next step. Never holds text from a server, only
 * known error codes.
 */
import type { MissingClient } from '../connection/acquirer.ts'

export class SignInFailure extends Error {
  override readonly name: string = 'SignInFailure'
  /** The remedy: one imperative sentence without a full stop; absent if only another try can help. */
  readonly next: string | undefined

  constructor(message: string, cause?: unknown, next?: string) {
    super(message, cause === undefined ? undefined : { cause })
    this.next = next
  }
}

/** The person did not come back from the browser in time. */
export class SignInTimeout extends SignInFailure {
  override readonly name = 'SignInTimeout'
}

/** The owner has registered no client for this way to sign in, so it was not even tried. */
export class NotSetUp extends SignInFailure {
  override readonly name = 'NotSetUp'
  /** The client to ask the owner for, if that is the way to go on. */
  readonly client: MissingClient | undefined

  constructor(message: string, client: MissingClient | undefined, next?: string) {
    super(message, undefined, next)
    this.client = client
  }
}

const CHECK_CLIENT = 'Check the client id and its secret under `[oauth]` in config.toml'
const ASK_PROVIDER = "Allow this way to sign in in the client's settings at the provider"
const LATER = 'Wait a few minutes'
const THEIR_FAULT = 'Ask the people who run the server: its sign-in has to be mended there'

const CLAUSES: ReadonlyMap<string, readonly [clause: string, next?: string]> = new Map([
  ['access_denied', ['access was denied']],
  ['authorization_declined', ['access was denied']], // Microsoft's
  ['expired_token', ['the code expired before it was entered']],
  [
    'invalid_client',
    ['the server does not know this client id, or its secret is wrong', CHECK_CLIENT],
  ],
  ['incorrect_client_credentials', ['the client id or its secret is wrong', CHECK_CLIENT]],
  ['unauthorized_client', ['the server does not let this client sign in this way', ASK_PROVIDER]],
  [
    'unsupported_grant_type',
    ['the server does not let this client sign in this way', ASK_PROVIDER],
  ],
  [
    'device_flow_disabled',
    ['signing in with a code is switched off for this client', ASK_PROVIDER],
  ],
  ['invalid_grant', ['the server did not accept the code']],
  ['bad_verification_code', ['the server did not accept the code']],
  ['incorrect_device_code', ['the server did not accept the code']],
  ['redirect_uri_mismatch', ['the server does not know the address to come back to', ASK_PROVIDER]],
  ['invalid_scope', ['the server does not offer the permissions that were asked for', THEIR_FAULT]],
  ['invalid_target', ['the server does not give tokens for this MCP server', THEIR_FAULT]],
  ['invalid_redirect_uri', ['the server does not accept a way back to this machine', THEIR_FAULT]],
  ['temporarily_unavailable', ['the server is busy', LATER]],
  ['server_error', ['the server has a problem of its own', LATER]],
])

/** The meaning of an OAuth error code. Unknown codes are not repeated: they are untrusted text. */
export function clauseOf(code: string): string {
  return CLAUSES.get(code)?.[0] ?? 'the server answered with an error'
}

export function failureOf(code: string, cause: unknown): SignInFailure {
  return new SignInFailure(clauseOf(code), cause, CLAUSES.get(code)?.[1])
}

/** An answer that breaks the rules of OAuth, so that no part of it is used. */
export function untrusted(clause: string, cause?: unknown): SignInFailure {
  return new SignInFailure(clause, cause, THEIR_FAULT)
}

/** An answer without an OAuth error code, by its HTTP status. */
export function failureOfStatus(status: number): SignInFailure {
  if (status === 429) return new SignInFailure('the server asks to slow down', undefined, LATER)
  if (status < 500) return untrusted('the server gave an answer that cannot be trusted')
  return new SignInFailure(`the server is out of order (HTTP ${status})`, undefined, LATER)
}
