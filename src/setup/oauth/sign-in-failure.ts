/**
 * The reason why a sign-in failed, as one clause for people. Never holds text from a server, only known error codes.
 */

export class SignInFailure extends Error {
  override readonly name = 'SignInFailure'

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
  }
}

const CLAUSES: ReadonlyMap<string, string> = new Map([
  ['access_denied', 'access was denied'],
  ['expired_token', 'the code expired before it was entered'],
  ['invalid_client', 'the server does not know this client id, or its secret is wrong'],
  ['incorrect_client_credentials', 'the client id or its secret is wrong'],
  ['unauthorized_client', 'the server does not let this client sign in this way'],
  ['unsupported_grant_type', 'the server does not let this client sign in this way'],
  ['device_flow_disabled', 'signing in with a code is switched off for this client'],
  ['invalid_grant', 'the server did not accept the code'],
  ['bad_verification_code', 'the server did not accept the code'],
  ['incorrect_device_code', 'the server did not accept the code'],
  ['redirect_uri_mismatch', 'the server does not know the address to come back to'],
  ['invalid_scope', 'the server does not offer the permissions that were asked for'],
  ['invalid_target', 'the server does not give tokens for this MCP server'],
  ['invalid_redirect_uri', 'the server does not accept a way back to this machine'],
  ['temporarily_unavailable', 'the server is busy'],
  ['server_error', 'the server has a problem of its own'],
])

/** The meaning of an OAuth error code. Unknown codes are not repeated: they are untrusted text. */
export function clauseOf(code: string): string {
  return CLAUSES.get(code) ?? 'the server answered with an error'
}
