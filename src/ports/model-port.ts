/** The ports of the owner's models: text in, text out, and the profiles that name them. No tool and no secret reaches a model. */
import type { FailedCall } from '../kernel/call-failure.ts'
import type { Json, JsonObject } from '../text/json.ts'
import type { Level } from '../labels/label.ts'

export interface Models {
  /** The lowest clearance of all profiles: the profile is chosen only when the model is asked. */
  readonly clearance: Level
  /** True if no profile is reached over a network. */
  readonly isLocal: boolean
  /** A hash over names, addresses, models and clearances of all profiles: any change of them changes the pin. */
  readonly pin: string
  ask(question: ModelQuestion, signal: AbortSignal): Promise<ModelAnswer>
}

export interface ModelQuestion {
  /** Name of the profile; the active one if absent. */
  readonly profile?: string
  /** Instructions, written by the host. */
  readonly system: string
  /** The data to work on. */
  readonly text: string
  /** The level of all that: no profile is asked that is cleared for less. Absent: decided at the door, for every profile. */
  readonly level?: Level
  /** The JSON Schema that the answer has to match. An answer that does not is sent back once, with what is wrong with it. */
  readonly schema?: JsonObject
  /** Says what else is wrong with an answer by the schema, naming the field and never quoting it. */
  readonly misfit?: (value: Json) => string | undefined
  readonly temperature?: number
  /** Takes each further piece of the text while the model writes it. */
  readonly onPiece?: (text: string) => void
  /** Takes the usage of each answer of a provider, also of one that does not fit. */
  readonly onUsage?: (usage: ModelUsage) => void
}

/** `value` is present if the question had a schema, and matches it. */
export type ModelAnswer =
  | {
      readonly kind: 'said'
      readonly text: string
      readonly value?: Json
      readonly usage: ModelUsage
    }
  | FailedCall

export interface ModelUsage {
  readonly profile: string
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  /** US dollars; absent if the price is not known. */
  readonly cost?: number
  readonly ms: number
}

/** Per day of the owner; a limit that is absent is no limit. */
export interface ModelBudget {
  readonly tokens?: number
  readonly cost?: number
  readonly seconds?: number
}

/** As written in config.toml, without what has a default. */
export interface NewProfile {
  readonly name: string
  /** `ollama` speaks OpenAI's format on this machine; each has an address that is taken if none is given. */
  readonly provider: 'anthropic' | 'openai' | 'ollama'
  readonly url?: string
  readonly model: string
  /** The key itself: it goes to the vault, and the profile names it there. */
  readonly key?: string
  readonly mayReadSensitive?: boolean
}

/** The address is not among them: the key would go to another host. Add another profile for that. */
export type ProfileChanges = Partial<Pick<NewProfile, 'model' | 'key' | 'mayReadSensitive'>>

export interface ProfileView extends Omit<NewProfile, 'key'> {
  readonly url: string
  /** Such as `vault:model_key_claude`. */
  readonly key?: string
  readonly isActive: boolean
  readonly isLocal: boolean
  readonly clearance: Level
  readonly fallback: readonly string[]
  /** When it is asked again, as an ISO date, after failures in a row. */
  readonly degradedUntil?: string
  readonly budget: ModelBudget
  readonly today: Required<ModelBudget>
}

/** The models that a provider offers, and when they were fetched; `problem` says why the list is old or missing. */
export interface OfferedModels {
  readonly profile: string
  readonly models: readonly string[]
  readonly at?: string
  readonly problem?: string
}

/** The owner's profiles. Reads config.toml anew, so that an edit by hand counts from then on. */
export interface Profiles {
  list(): Promise<readonly ProfileView[]>
  add(profile: NewProfile): Promise<ProfileView>
  edit(name: string, changes: ProfileChanges): Promise<ProfileView>
  /** Makes it the active one; `model` also changes its model. */
  use(name: string, model?: string): Promise<ProfileView>
  /** Forgets the key too, unless another profile uses the same one. */
  remove(name: string): Promise<{ readonly forgot?: string }>
  /** One tiny question, also to a profile that failed often. Without a name: the active one. */
  test(
    name: string | undefined,
    signal: AbortSignal,
  ): Promise<ModelUsage & { readonly text: string }>
  /** Fetches the list of models. Without a name: of each profile. */
  refresh(name: string | undefined, signal: AbortSignal): Promise<readonly OfferedModels[]>
}
