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

/** What is asked of the person now. Never holds what they answered. */
export interface ConnectionQuestion {
  /** Of the credential that is missing: `token`. */
  readonly title: string
  readonly isSecret: boolean
  readonly where?: string
  readonly url?: string
  /** The page on this machine where it can be entered instead. */
  readonly form?: string
  /** Open this and enter the code; nothing needs to be typed here. */
  readonly device?: { readonly url: string; readonly code: string }
  /** Open this to sign in; the browser comes back by itself. */
  readonly authorize?: string
}

export interface ConnectionView {
  readonly connection: string
  readonly service: string
  readonly title: string
  readonly phase: ConnectionPhase
  readonly question?: ConnectionQuestion
  /** When it ends by itself, ISO. */
  readonly expiresAt: string
  /** Everything that was said to the person, oldest first. `version` grows with each change of the view. */
  readonly said: readonly string[]
  readonly version: number
}

/** How people are spoken to, and how a message that holds a secret is taken back. */
export interface Outlet {
  say(principal: PrincipalId, text: string): Promise<void>
  /** False where it could not be deleted. */
  remove(message: MessageRef): Promise<boolean>
}

/** Connecting services for one person: one connection at a time. */
export interface Setup {
  /** Starts a connection; one that was under way is cancelled. */
  connect(name: string, signal: AbortSignal): Promise<ConnectionView>
  /** The newest connection, also when it just ended. */
  view(): ConnectionView | undefined
  /** Resolves once the flow's version is above `after`; with the same view after a while, or at once when `signal` aborts. */
  follow(connection: string, after: number, signal: AbortSignal): Promise<ConnectionView>
  /** The answer to the question that is open, from a terminal, a form or a chat. */
  provide(connection: string, value: string): Promise<ConnectionView>
  cancel(): Promise<ConnectionView | undefined>
  /** Sees every message of every sender before anything else: credentials, cancel words, connect commands. */
  readonly take: MessageHandler
}

export interface TokenStatus {
  readonly name: string
  readonly issuer?: string
  readonly scope?: string
  /** ISO; absent where the provider did not say. */
  readonly expiresAt?: string
  readonly state: 'fresh' | 'expired' | 'needs-authorization'
}

/** Tokens that providers gave us, kept fresh. A refresh happens once, however many ask for it. */
export interface Tokens {
  status(): Promise<readonly TokenStatus[]>
  /** Makes sure that the stored token can be used now; refreshes it where its time is nearly over. */
  ensureFresh(name: string, signal: AbortSignal): Promise<void>
  /** Redeems the refresh token now. */
  refresh(name: string, signal: AbortSignal): Promise<TokenStatus>
  /** Tells the provider, as far as it can be told, and forgets the token. */
  revoke(name: string, signal: AbortSignal): Promise<void>
}

/** For a browser that could not come back by itself: the address it ended up at. */
export type AcceptCallback = (url: string) => Promise<void>
