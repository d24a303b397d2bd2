/**
 * One connect flow, as data: what is known, what was answered, where it stands. All of it is written down between two
 * steps, so nothing here can hold a credential; one travels only in an event on its way in and in the effect that stores it.
 */
import type { DefinitionChanges } from '../../kernel/definition-change.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { MessageRef } from '../../kernel/receive.ts'
import type { CredentialNeed, Service } from '../../kernel/service-facts.ts'
import type { AcquirePrompt } from './acquirer.ts'

/** How long a question stands. */
export const QUESTION_MS: number = 10 * 60_000
export const MAX_ATTEMPTS = 3

export interface Connection {
  readonly id: string
  readonly principal: PrincipalId
  readonly service: Service
  /** Made from a definition that is there already: nothing is installed, and it is launched as it says. */
  readonly isOwn: boolean
  /** It came out of a pasted line, of which not everything may have been taken over. */
  readonly isPasted?: boolean
  /** Spoken to in a chat, so what is said later goes there too. */
  readonly isChat: boolean
  readonly isRemote: boolean
  /** Where a credential can be entered on this machine instead. */
  readonly form?: string
  readonly expiresAt: number
  /** Grows with each piece of work. The result of an older one comes too late, and is ignored. */
  readonly turn: number
  /** Tokens that were tried and refused. Kept here, since every state forgets the one before. */
  readonly attempts: number
  readonly found: Found
  /** Plain settings that were asked for. */
  readonly settings: Readonly<Record<string, string>>
  /** Hosts that were in an answer: `db.example.com:5432`. */
  readonly hosts?: readonly string[]
  /** What the definition becomes, and how to take that back. */
  readonly plan?: DefinitionPlan
  readonly state: ConnectionState
}

/** Where the credentials are: by key, as references and as names in the vault. */
export interface Found {
  /** Of those that are there: `vault:notion_token`. */
  readonly refs: Readonly<Record<string, string>>
  /** Under which an answer is stored. */
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
  /** `method`: which way without typing is under way; as many as there are where none is left. */
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
  /** An answer that is meant as one: from a hidden prompt or a form. */
  | { readonly kind: 'provided'; readonly entry: Entry }
  | { readonly kind: 'cancel' }
  /** Its package cannot be had, so there is no need to ask for anything. */
  | { readonly kind: 'no-package'; readonly reason: string }
  /** The same person connects something else. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'expired' }
  /** It is new, or Cordon was started again and found it in its notes. */
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
  /** `isDeleted`: of the message it came in; absent where there was none. */
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

/** What is to be done. At most one piece of work is under way; a new one ends the one before. */
export type ConnectionEffect =
  | { readonly kind: 'say'; readonly text: string }
  /** This message is not for the flow: whoever comes next may have it. */
  | { readonly kind: 'pass' }
  /** What was sent holds a secret and is not stored; the message, where one remains, is deleted. */
  | { readonly kind: 'erase'; readonly message?: MessageRef }
  /** Gets the package while the person looks for the token. Nothing waits for it, and it is never run by this. */
  | { readonly kind: 'prefetch' }
  /** Ends the server that runs with a token that does not work. */
  | { readonly kind: 'halt' }
  /** Leaves the definition as it was before. */
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
  /** Whether what was to be stored before the restart is there. */
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

/** What could be sent as a credential, a token that is only ever acquired included. */
export function secretNeeds(service: Service): readonly CredentialNeed[] {
  const keys = [...service.credentials, ...service.oauth].map(({ key }) => key)
  const needs = [...new Set(keys)].map((key) => needFor(service, key))
  return needs.filter(({ secret }) => secret !== undefined)
}

/** The need behind a key. A token that is only ever acquired has none in the catalog. */
export function needFor({ credentials }: Service, key: string): CredentialNeed {
  const known = credentials.find((need) => need.key === key)
  return known ?? { key, secret: key, title: 'token', prefixes: [], required: true }
}
