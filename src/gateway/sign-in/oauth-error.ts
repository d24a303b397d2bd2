/** An error by the book: RFC 6749 section 5.2, RFC 7591 section 3.2.2, RFC 8707 section 2. Its words hold no secret. */

type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'temporarily_unavailable'

export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: OAuthCode

  constructor(code: OAuthCode, message: string) {
    super(message)
    this.code = code
  }
}
