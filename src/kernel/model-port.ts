/** The owner's models, as others ask them: a text goes in and a text comes out. No tool, and no secret, ever reaches one. */
import type { FailedCall } from './call-failure.ts'
import type { JsonObject } from '../text/json.ts'
import type { Level } from '../labels/label.ts'

export interface Models {
  /** The most confidential that every one of them may read: which one is asked is known only when it is. */
  readonly clearance: Level
  /** None of them is asked over a network. */
  readonly isLocal: boolean
  /** Another one for any change of where they are and what they may read. */
  readonly pin: string
  ask(question: ModelQuestion, signal: AbortSignal): Promise<ModelAnswer>
}

export interface ModelQuestion {
  /** Which profile; `default` where absent. */
  readonly profile?: string
  /** What to do, in the host's words. */
  readonly system: string
  /** What to do it with. */
  readonly text: string
  /** The answer is to be JSON of this shape; whoever asks has to check. */
  readonly schema?: JsonObject
  readonly temperature?: number
}

export type ModelAnswer = { readonly kind: 'said'; readonly text: string } | FailedCall
