/**
 * Acquires a token by OAuth, so that nobody types it: the only part of OAuth that a connection knows.
 * The token itself never passes here; it goes straight into the vault, and only its reference comes back.
 */
import type { SecretRef } from '../../kernel/secret-ref.ts'
import type { OAuthMethod, Service } from '../../kernel/service-facts.ts'

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
  /** Open the link; the browser comes back by itself. */
  | { readonly kind: 'authorize'; readonly url: string }

export type Acquired =
  /** The token is durable in the vault before this is returned. */
  | { readonly kind: 'token'; readonly ref: SecretRef }
  /** This method cannot even begin here, for example because no client id is set up; nobody was prompted. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  /** Denied, expired, aborted, or an answer that cannot be trusted. `reason` is one clause for people. */
  | { readonly kind: 'failed'; readonly reason: string }

/**
 * Runs one OAuth method to its end. Never throws for an error of the provider or the person: the result is `failed`.
 * When `signal` aborts, it stops polling and listening, stores nothing from then on, and resolves with `failed`.
 */
export interface Acquirer {
  /** Whether the service asked for a wider scope than this token has; signing in again requests that scope. */
  wantsMore(name: string): Promise<boolean>
  start(
    request: AcquireRequest,
    onPrompt: (prompt: AcquirePrompt) => void,
    signal: AbortSignal,
  ): Promise<Acquired>
}
