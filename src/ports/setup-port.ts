/** Connecting a service: a conversation with one person, in which no model takes part. */
import type { DefinitionChanges } from '../kernel/definition-change.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { MessageRef, SetupHandler } from '../kernel/receive.ts'

export type ConnectionPhase =
  | 'awaiting-credential'
  | 'awaiting-answer'
  | 'awaiting-vault'
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
  /** As one sentence, for a page that draws the answers by itself: `Which folder may Filesystem use?` */
  readonly sentence?: string
  /** The message in `said` that puts this question to a chat; a page that shows the sentence leaves it out. */
  readonly inChat?: string
  /** The only possible answers, each with its consequence. */
  readonly choices?: Readonly<Record<string, string>>
  readonly where?: string
  readonly url?: string
  /** The page on this machine where the answer can be entered instead. */
  readonly form?: string
  /** OAuth device grant: the person opens the URL and enters the code; nothing is typed here. */
  readonly device?: { readonly url: string; readonly code: string }
  /** OAuth authorization URL: the person signs in there, and the browser returns by itself. */
  readonly authorize?: string
}

/** Why the last step did not work; a page words it by itself and offers the remedy. */
export type ConnectionTrouble =
  | 'not-installed'
  | 'sign-in-failed'
  | 'sign-in-timed-out'
  | 'token-refused'

export interface ConnectionView {
  readonly connection: string
  readonly service: string
  readonly title: string
  readonly phase: ConnectionPhase
  readonly question?: ConnectionQuestion
  /** Absent once a later step has worked. */
  readonly trouble?: ConnectionTrouble
  /** When the connection times out, ISO. */
  readonly expiresAt: string
  /** All messages to the person, oldest first. `version` grows with each change of the view. */
  readonly said: readonly string[]
  readonly version: number
}

export interface Outlet {
  /** `isRemote`: the person talks from elsewhere. Otherwise their terminal or page polls for the same text. */
  say(principal: PrincipalId, text: string, isRemote: boolean): Promise<void>
  /** False if the message could not be deleted. */
  remove(message: MessageRef): Promise<boolean>
}

export interface ConnectOptions {
  /** Folders or files that the server may read, and those that it may change. */
  readonly read?: readonly string[]
  readonly write?: readonly string[]
  readonly changes?: DefinitionChanges
  /** The name of one of several accounts of the service: `work`. */
  readonly account?: string
  /** Variables whose values are asked for. `again`: those that are there, too. `asksVault`: a person can open it. */
  readonly secrets?: readonly string[]
  readonly again?: boolean
  readonly asksVault?: boolean
  /** Its install scripts may run, in the install sandbox and without network. */
  readonly allowScripts?: boolean
}

/** Connects services for one principal: at most one connection is in progress. */
export interface Setup {
  /** Starts a connection and cancels the earlier one. */
  connect(name: string, options: ConnectOptions, signal: AbortSignal): Promise<ConnectionView>
  view(): ConnectionView | undefined
  /** Resolves when the view's version is above `after`; unchanged after a while, or at once when `signal` aborts. */
  follow(connection: string, after: number, signal: AbortSignal): Promise<ConnectionView>
  provide(connection: string, value: string): Promise<ConnectionView>
  cancel(): Promise<ConnectionView | undefined>
  vaultOpened(): Promise<void>
  /** Sees every message of every sender first: takes credentials, cancel words and connect commands. */
  readonly take: SetupHandler
}

export interface TokenStatus {
  readonly name: string
  readonly issuer?: string
  readonly scope?: string
  /** Scopes for want of which calls were refused, by tool, since the last sign-in. */
  readonly wanted?: Readonly<Record<string, string>>
  /** ISO; absent if the provider did not say. */
  readonly expiresAt?: string
  readonly state: 'fresh' | 'expired' | 'needs-authorization'
}

/** OAuth tokens, kept fresh. A refresh token is redeemed once, however many callers ask for it. */
export interface Tokens {
  status(): Promise<readonly TokenStatus[]>
  /** Ensures that the stored token can be used now; refreshes it if it is about to expire. */
  ensureFresh(name: string, signal: AbortSignal): Promise<void>
  refresh(name: string, signal: AbortSignal): Promise<TokenStatus>
  /** Revokes the token at the provider if possible, and deletes it. */
  revoke(name: string, signal: AbortSignal): Promise<void>
}

/** Completes a sign-in whose browser could not return by itself: takes the URL at which it ended. */
export type AcceptCallback = (url: string) => Promise<void>
