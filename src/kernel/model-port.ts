/** The port of the owner's models: text in, text out. No tool and no secret ever reaches a model. */
import type { FailedCall } from './call-failure.ts'
import type { JsonObject } from '../text/json.ts'
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
  /** Name of the profile; `default` if absent. */
  readonly profile?: string
  /** Instructions, written by the host. */
  readonly system: string
  /** The data to work on. */
  readonly text: string
  /** The JSON Schema that the answer should match; the caller has to validate it. */
  readonly schema?: JsonObject
  readonly temperature?: number
}

export type ModelAnswer = { readonly kind: 'said'; readonly text: string } | FailedCall
