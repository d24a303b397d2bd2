/**
 * One connection, as data: the service, the answers, the state. It is stored between two steps, so it never holds a
 * credential; a credential is only in the event that brings it and in the effect that stores it.
 */
import type { DefinitionChanges } from '../../kernel/definition-change.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { MessageRef } from '../../kernel/receive.ts'
import type { CredentialNeed, Service } from '../../kernel/service-facts.ts'
import type { AcquirePrompt } from './acquirer.ts'

/** How long a question waits for its answer. */
export const QUESTION_MS: number = 10 * 60_000
export const MAX_ATTEMPTS = 3

export interface Connection {
  readonly id: string
  readonly principal: PrincipalId
  readonly service: Service
  /** Made from an existing definition: nothing is installed, and the server is launched as defined. */
  readonly isOwn: boolean
  /** The service was parsed from a pasted line, parts of which may have been dropped. */
  readonly isPasted?: boolean
  /** Begun or answered in a chat, so later messages go there too. */
  readonly isChat: boolean
  readonly isRemote: boolean
  /** Link to the form on this machine in which a credential can be entered instead. */
  readonly form?: string
  readonly expiresAt: number
  /** Grows with each piece of work; a result with an older turn is ignored. */
  readonly turn: number
  /** Number of refused tokens. Kept here, since a state holds nothing of earlier states. */
  readonly attempts: number
  readonly found: Found
  /** Answers to plain settings, which are no secrets. */
  readonly settings: Readonly<Record<string, string>>
  /** Hosts of an answered address: `db.example.com:5432`. */
  readonly hosts?: readonly string[]
  /** The change of the definition, and its undo. */
  readonly plan?: DefinitionPlan
  readonly state: ConnectionState
}

/** The credentials of the service by key: references to existing ones, vault names for answers. */
export interface Found {
  /** References of existing credentials: `vault:notion_token`. */
  readonly refs: Readonly<Record<string, string>>
  /** Vault names under which answers are stored. */
  readonly names: Readonly<Record<string, string>>
  /** Keys to ask for, in this order. */
  readonly missing: readonly string[]
}

export interface DefinitionPlan {
  readonly write: 'add' | 'edit' | 'none'
  readonly changes: DefinitionChanges
  readonly undo:
    | { readonly kind: 'none' }
    | { readonly kind: 'remove' }
    | { readonly kind: 'edit'; readonly changes: DefinitionChanges }
}

type ConnectionState =
  | { readonly kind: 'start' }
  /** `method`: index of the OAuth method under way; the number of methods if none is left. */
  | {
      readonly kind: 'asking'
      readonly key: string
      readonly method: number
      readonly prompt?: AcquirePrompt
    }
  | { readonly kind: 'storing'; readonly key: string; readonly since: number }
  | { readonly kind: 'installing' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'verifying'; readonly tools: number }
  | { readonly kind: 'connected' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'cancelled' }

export type TimedEvent = ConnectionEvent & { readonly at: number }

export type ConnectionEvent =
  /** A message in a chat. */
  | { readonly kind: 'said'; readonly message: SaidMessage }
  /** An explicit answer, from a hidden prompt or a form. */
  | { readonly kind: 'provided'; readonly entry: Entry }
  | { readonly kind: 'cancel' }
  /** The package cannot be installed, so no credential need be asked for. */
  | { readonly kind: 'no-package'; readonly reason: string }
  /** The same person connects another service. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'expired' }
  /** The connection is new, or Cordon was restarted and found it in its notes. */
  | { readonly kind: 'begin' }
  | (WorkResult & { readonly turn: number })

export interface Entry {
  readonly text: string
  /** The known service whose tokens look like this text, or like a word in it. */
  readonly tokenOf?: Pick<Service, 'slug' | 'title'>
}

export interface SaidMessage extends Entry {
  readonly ref?: MessageRef
  readonly isGroup: boolean
}

/** How a piece of work ended. */
export type WorkResult =
  | { readonly kind: 'looked'; readonly found: Found }
  /** `isDeleted`: whether the message with the credential was deleted; absent if there was no message. */
  | { readonly kind: 'stored'; readonly ref: string; readonly isDeleted?: boolean }
  | { readonly kind: 'not-stored'; readonly reason: string; readonly isDeleted?: boolean }
  | { readonly kind: 'prompted'; readonly prompt: AcquirePrompt }
  | { readonly kind: 'acquired'; readonly ref: string }
  | { readonly kind: 'not-acquired'; readonly isUnavailable: boolean }
  | { readonly kind: 'prepared'; readonly plan: DefinitionPlan; readonly facts?: string }
  | { readonly kind: 'started'; readonly tools: number }
  | { readonly kind: 'verified'; readonly isCertain: boolean }
  | { readonly kind: 'unauthorized'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Effects of a step. At most one piece of work is under way; a new one ends the one before. */
export type ConnectionEffect =
  | { readonly kind: 'say'; readonly text: string }
  /** The message is not for this connection: the next handler may take it. */
  | { readonly kind: 'pass' }
  /** The message holds a secret that is not stored; the message, if the channel keeps it, is deleted. */
  | { readonly kind: 'erase'; readonly message?: MessageRef }
  /** Installs the package while the person looks for the token. Never waited for, and never runs the package. */
  | { readonly kind: 'prefetch' }
  /** Stops the server, which may run with a refused token. */
  | { readonly kind: 'halt' }
  /** Restores the definition. */
  | { readonly kind: 'undo' }
  | ConnectionWork

export type ConnectionWork =
  | { readonly kind: 'look' }
  | {
      readonly kind: 'store'
      readonly key: string
      readonly value: string
      readonly message?: MessageRef
    }
  /** Checks whether a credential was stored before the restart. */
  | { readonly kind: 'recall'; readonly key: string; readonly since: number }
  | { readonly kind: 'acquire'; readonly method: number }
  | { readonly kind: 'install' }
  | { readonly kind: 'connect' }
  | { readonly kind: 'verify' }

export interface Step {
  readonly connection: Connection
  readonly effects: readonly ConnectionEffect[]
}

export function hasEnded({ state: { kind } }: Connection): boolean {
  return kind === 'connected' || kind === 'failed' || kind === 'cancelled'
}

/** Secrets that a person could send, including tokens that are otherwise only acquired by OAuth. */
export function secretNeeds(service: Service): readonly CredentialNeed[] {
  const keys = [...service.credentials, ...service.oauth].map(({ key }) => key)
  const needs = [...new Set(keys)].map((key) => needFor(service, key))
  return needs.filter(({ secret }) => secret !== undefined)
}

/** The need behind a key. A token that is only acquired by OAuth has none in the catalog. */
export function needFor({ credentials }: Service, key: string): CredentialNeed {
  const known = credentials.find((need) => need.key === key)
  return known ?? { key, secret: key, title: 'token', prefixes: [], required: true }
}
