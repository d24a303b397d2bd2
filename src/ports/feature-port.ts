/** The features of servers besides tools: resources, prompts, completion, logging. Everything in it is untrusted text. */
import type { Label } from '../labels/label.ts'
import type { JsonObject } from '../text/json.ts'
import type { LOG_LEVELS } from '../text/log-levels.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { ToolDescription } from '../kernel/server-state.ts'

export type ListKind = 'resources' | 'templates' | 'prompts'

/** As the server declared when it was last seen. */
export interface DeclaredFeatures {
  readonly resources: boolean
  readonly subscriptions: boolean
  readonly prompts: boolean
  readonly completions: boolean
  readonly logging: boolean
}

export type LogLevel = (typeof LOG_LEVELS)[number]

export type FeatureEvent = { readonly server: ServerId; readonly label: Label } & (
  | { readonly kind: 'tools' | 'resources' | 'prompts' }
  | { readonly kind: 'updated'; readonly uri: string }
  | {
      readonly kind: 'log'
      readonly message: JsonObject
      /** How many calls the server worked on when it said so. */
      readonly calls: number
    }
)

/** One list of one server. */
export interface Listing {
  readonly server: ServerId
  /** The label of everything that the server says. */
  readonly label: Label
  /** Cleaned and bounded; without texts that hold anything suspicious. */
  readonly items: readonly JsonObject[]
}

/** Lists and follows features. Reads no resource and no prompt: those are calls, through the one door. */
export interface Features {
  declared(server: ServerId): Promise<DeclaredFeatures>
  /** Starts the server if needed. */
  list(server: ServerId, kind: ListKind, signal: AbortSignal): Promise<readonly JsonObject[]>
  /** Of every server of the owner that declares the feature. One that does not answer soon is listed as last read. */
  listings(kind: ListKind, signal: AbortSignal): Promise<readonly Listing[]>
  /** The tools by which the server's features are called. */
  tools(server: ServerId): Promise<readonly ToolDescription[]>
  /** The server's own words about its use, from the handshake. Shown to people, given to no model. */
  instructions(server: ServerId): Promise<string | undefined>
  /** Takes back one subscription that a call made. */
  unsubscribe(server: ServerId, uri: string): Promise<void>
  /** Asks the server for log messages from this level on; holds until Cordon ends. */
  setLogLevel(server: ServerId, level: LogLevel, signal: AbortSignal): Promise<void>
  /** The server, if it runs, is asked for log messages from this level on, unless it was asked for more before. */
  wantLogs(server: ServerId, level: LogLevel): void
  /** Until it is disposed of. Floods are coalesced before they come here. */
  watch(listener: (event: FeatureEvent) => void): Disposable
}
