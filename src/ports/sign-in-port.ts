/**
 * The port of signing in to the gateway (OAuth 2.1): a program on this machine that only knows the address asks, and the
 * owner agrees on the page. The name of the program is its own claim.
 */

/** One checked request of a program. The redirect goes to this machine: to a port, or to a known program by its scheme. */
export interface SignInRequest {
  readonly clientId: string
  /** The program's own words. */
  readonly clientName: string
  /** The host that published the program's description; absent for a name that anybody could claim. */
  readonly publisher?: string
  readonly redirectUri: string
  readonly challenge: string
  readonly resource: string
  readonly state?: string
}

/** `wrong`: the program or its redirect is not known, so nothing is sent back. `back`: an error for the program. */
export type BegunSignIn =
  | { readonly kind: 'ask'; readonly request: SignInRequest }
  | { readonly kind: 'wrong'; readonly why: string }
  | { readonly kind: 'back'; readonly location: string }

export interface SignIns {
  /** Checks the query of `/oauth/authorize`. Gives nothing away. */
  begin(query: URLSearchParams): Promise<BegunSignIn>
  /** The address with the code, which works once and for a minute. Registers the program as a client. */
  allow(request: SignInRequest): Promise<string>
  /** The address with the refusal. */
  deny(request: SignInRequest): string
}
