/** Connecting a service: a conversation with one person, in which no model takes part. */
import type { PrincipalId } from './principal.ts'
import type { MessageRef, MessageHandler } from './receive.ts'

export type ConnectionPhase =
  | 'awaiting-credential'
  | 'installing'
  | 'connecting'
  | 'verifying'
  | 'connected'
  | 'failed'
  | 'cancelled'

/** The open question of a connection. Never holds an answer. */
export interface ConnectionQuestion {
  /** The name of the missing credential: `token`. */
  readonly title: string
  readonly isSecret: boolean
  readonly where?: string
  readonly url?: string
  /** The page on this machine where the answer can be entered instead. */
  readonly form?: string
  /** OAuth device grant: the person opens the URL and enters the code; nothing is typed here. */
  readonly device?: { readonly url: string; readonly code: string }
  /** OAuth authorization URL: the person signs in there, and the browser returns by itself. */
  readonly authorize?: string
}

export interface ConnectionView {
  readonly connection: string
  readonly service: string
  readonly title: string
  readonly phase: ConnectionPhase
  readonly question?: ConnectionQuestion
  /** When the connection times out, ISO. */
  readonly expiresAt: string
  /** All messages to the person, oldest first. `version` grows with each change of the view. */
  readonly said: readonly string[]
  readonly version: number
}

/** Sends messages to people, and deletes messages that hold a secret. */
export interface Outlet {
  say(principal: PrincipalId, text: string): Promise<void>
  /** False if the message could not be deleted. */
  remove(message: MessageRef): Promise<boolean>
}

/** Connects services for one principal: at most one connection is in progress. */
export interface Setup {
  /** Starts a connection and cancels the earlier one. */
  connect(name: string, signal: AbortSignal): Promise<ConnectionView>
  /** The newest connection, also when it has just ended. */
  view(): ConnectionView | undefined
  /** Resolves when the view's version is above `after`; unchanged after a while, or at once when `signal` aborts. */
  follow(connection: string, after: number, signal: AbortSignal): Promise<ConnectionView>
  /** Answers the open question, from a terminal, a form or a chat. */
  provide(connection: string, value: string): Promise<ConnectionView>
  cancel(): Promise<ConnectionView | undefined>
  /** Sees every message of every sender first: takes credentials, cancel words and connect commands. */
  readonly take: MessageHandler
}

export interface TokenStatus {
  readonly name: string
  readonly issuer?: string
  readonly scope?: string
  /** ISO; absent if the provider did not say. */
  readonly expiresAt?: string
  readonly state: 'fresh' | 'expired' | 'needs-authorization'
}

/** OAuth tokens, kept fresh. A refresh token is redeemed once, however many callers ask for it. */
export interface Tokens {
  status(): Promise<readonly TokenStatus[]>
  /** Ensures that the stored token can be used now; refreshes it if it is about to expire. */
  ensureFresh(name: string, signal: AbortSignal): Promise<void>
  /** Redeems the refresh token now. */
  refresh(name: string, signal: AbortSignal): Promise<TokenStatus>
  /** Revokes the token at the provider if possible, and deletes it. */
  revoke(name: string, signal: AbortSignal): Promise<void>
}

/** Completes a sign-in whose browser could not return by itself: takes the URL at which it ended. */
export type AcceptCallback = (url: string) => Promise<void>
