/**
 * Acquires a token by OAuth, so that nobody types it: the only part of OAuth that a connection knows.
 * The token itself never passes here; it goes straight into the vault, and only its reference comes back.
 */
import type { SecretRef } from '../../kernel/secret-ref.ts'
import type { OAuthMethod, Service } from '../../ports/service-facts.ts'

export interface AcquireRequest {
  readonly service: Service
  /** One of `service.oauth`. */
  readonly method: OAuthMethod
  /** Store the tokens under this name: the reference that comes back is `oauth:<name>`. */
  readonly name: string
}

/** The step that the person has to take. Given once, as soon as it is known. */
export type AcquirePrompt =
  /** Open the link, enter the code. */
  | { readonly kind: 'device'; readonly url: string; readonly code: string }
  /** Open the link; the browser comes back by itself, or the address at which it ended is pasted. */
  | { readonly kind: 'authorize'; readonly url: string }

export type Acquired =
  /** The token is durable in the vault before this is returned. `account`: whose it is, as the provider tells. */
  | { readonly kind: 'token'; readonly ref: SecretRef; readonly account?: string }
  /** This method cannot even begin here; nobody was prompted. `isSetUp` is false if no client id is set up. */
  | (NotAcquired & {
      readonly kind: 'unavailable'
      readonly isSetUp?: false
      readonly client?: MissingClient
    })
  /** Denied, expired, aborted, or an answer that cannot be trusted. */
  | (NotAcquired & { readonly kind: 'failed' })

/** A client that the owner has to register with the provider. With its id in the vault, this way to sign in can begin. */
export interface MissingClient {
  /** The id and the secret are kept as `oauth-app/PROVIDER/id` and `oauth-app/PROVIDER/secret`. */
  readonly provider: string
  readonly where: string
  readonly hasSecret: boolean
}

/** `reason` is one clause for people, `next` one imperative sentence; neither holds text of a server. */
export interface NotAcquired {
  readonly reason: string
  readonly next?: string
  /** The person did not come back from the browser in time. */
  readonly isTimeout?: true
}

/**
 * Runs one OAuth method to its end. Never throws for an error of the provider or the person: the result is `failed`.
 * When `signal` aborts, it stops polling and listening, stores nothing from then on, and resolves with `failed`.
 */
export interface Acquirer {
  /**
   * Takes a pasted callback URL: `taken` if a sign-in waits for it, which then goes on by itself; `unexpected` if none
   * does; `other` if the text is no callback URL. The text may hold an authorization code and is not kept.
   */
  takeCallback(text: string): 'taken' | 'unexpected' | 'other'
  /**
   * Whether the service asked for a wider scope than this token has, or `needed` names one; signing in again requests
   * that scope.
   */
  wantsMore(name: string, needed: readonly string[]): Promise<boolean>
  start(
    request: AcquireRequest,
    onPrompt: (prompt: AcquirePrompt) => void,
    signal: AbortSignal,
  ): Promise<Acquired>
}
