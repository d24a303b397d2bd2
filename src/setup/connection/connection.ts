/**
 * One connection, as data: the service, the answers, the state. It is stored between two steps, so it never holds a
 * credential; a credential is only in the event that brings it and in the effect that stores it.
 */
import type { DefinitionChanges } from '../../kernel/definition-change.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { MessageRef } from '../../kernel/receive.ts'
import type { CredentialNeed, Service } from '../../ports/service-facts.ts'
import type { ConnectionTrouble } from '../../ports/setup-port.ts'
import type { Chosen, PlaceReading, Places } from '../places/places.ts'
import type { AcquirePrompt, MissingClient, NotAcquired } from './acquirer.ts'

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
  /** The chat it was begun in: an answer counts there alone. Absent: begun by a command or a form. */
  readonly conversation?: string
  readonly isRemote: boolean
  /** A person is there to set up or unlock the vault. */
  readonly asksVault?: boolean
  /** The vault as the last look found it, if it has to be opened before a secret can be stored. */
  readonly vault?: 'absent' | 'locked'
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
  /** Folders or a file that were named, until it is said whether they may be changed. */
  readonly chosen?: Chosen
  readonly places?: Places
  /** Parts of the definition that the person wants: from options, or by a yes to an offer. */
  readonly changes?: DefinitionChanges
  /** Every secret is asked for, also those that are there. */
  readonly isAgain?: boolean
  readonly identity?: Identity
  readonly trouble?: ConnectionTrouble
  /** Number of offers made. Bounded, since a server decides how often it fails. */
  readonly offers?: number
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
  /** Variables that the README of the package has people set. */
  readonly named?: readonly string[]
  readonly undo:
    | { readonly kind: 'none' }
    | { readonly kind: 'remove' }
    | { readonly kind: 'edit'; readonly changes: DefinitionChanges }
}

/** The thing that a server which did not start seems to lack. */
export type Remedy =
  | { readonly kind: 'hosts'; readonly hosts: readonly string[] }
  | { readonly kind: 'memory'; readonly limit: string }
  /** A variable that the server itself names, or only the README of its package. */
  | { readonly kind: 'setting'; readonly key: string; readonly isGuess?: boolean }

/** A remedy that needs no more than a yes. */
export type Offer = Exclude<Remedy, { readonly kind: 'setting' }>

type ConnectionState =
  | { readonly kind: 'start' }
  | { readonly kind: 'awaiting-vault' }
  /** `method`: index of the OAuth method under way; the number of methods if none is left. */
  | {
      readonly kind: 'asking'
      readonly key: string
      readonly method: number
      readonly prompt?: AcquirePrompt
      /** The callback URL was pasted, and the sign-in is about to end. */
      readonly isReturned?: true
    }
  | { readonly kind: 'storing'; readonly key: string; readonly since: number }
  /** The server did not start, and a yes would help. `reason`: of the failure, should the answer be no. */
  | { readonly kind: 'offering'; readonly offer: Offer; readonly reason: string }
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
  /** A callback URL was pasted and taken; `message` is the chat message that held it. */
  | { readonly kind: 'returned'; readonly message?: MessageRef }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'vault-opened' }
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
  /** The text as an answer to a question about folders or a file; absent if it is none, or nothing such is asked. */
  readonly place?: PlaceReading
}

export interface SaidMessage extends Entry {
  readonly ref?: MessageRef
  readonly isGroup: boolean
}

/** The name of an account as its provider tells it, and other servers with the same one. */
export interface Identity {
  readonly account: string
  readonly sharedWith: readonly string[]
}

/** How a piece of work ended. */
export type WorkResult =
  | { readonly kind: 'looked'; readonly found: Found; readonly vault?: Connection['vault'] }
  /** `isDeleted`: whether the message with the credential was deleted; absent if there was no message. */
  | { readonly kind: 'stored'; readonly ref: string; readonly isDeleted?: boolean }
  | { readonly kind: 'not-stored'; readonly reason: string; readonly isDeleted?: boolean }
  | { readonly kind: 'prompted'; readonly prompt: AcquirePrompt }
  /** `identity`: whose token it is, in the provider's words. */
  | { readonly kind: 'acquired'; readonly ref: string; readonly identity?: Identity }
  /** `failure` is absent if this way to sign in is not set up here, which is no failure to report. */
  | {
      readonly kind: 'not-acquired'
      readonly isUnavailable: boolean
      readonly failure?: NotAcquired
      readonly client?: MissingClient
    }
  | { readonly kind: 'prepared'; readonly plan: DefinitionPlan; readonly facts?: string }
  | { readonly kind: 'started'; readonly tools: number }
  | { readonly kind: 'verified'; readonly isCertain: boolean; readonly identity?: Identity }
  | { readonly kind: 'unauthorized'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly remedy?: Remedy }

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
  /** Leaves a new definition there, disabled, with the reason; restores one that was in use. */
  | { readonly kind: 'keep' }
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

/** An OAuth client of the owner's: no credential of the server. */
export function isClientKey(key: string): boolean {
  return key.startsWith('oauth-app/')
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
