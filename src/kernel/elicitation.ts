/** A question that a server asks the owner during a call (MCP elicitation), and its answer. Untrusted text. */
import type { ServerId } from './server-id.ts'

export type Question =
  | { readonly kind: 'form'; readonly message: string; readonly fields: readonly QuestionField[] }
  /** Asks the owner to visit a page. Cordon never opens it for them. */
  | { readonly kind: 'visit'; readonly message: string; readonly url: string }

export type QuestionField = FieldInput & {
  /** The key of the answer in `content`. */
  readonly name: string
  readonly title: string
  readonly description?: string
  readonly isRequired: boolean
  /** Sent if the owner leaves the field empty; fits the field. */
  readonly default?: FieldValue
}

export type FieldInput =
  | { readonly kind: 'text'; readonly format?: string }
  | { readonly kind: 'number'; readonly isWhole: boolean }
  | { readonly kind: 'yes-no' }
  | {
      readonly kind: 'choice' | 'choices'
      readonly options: readonly Option[]
      /** The server wrote its titles as `enumNames`, which 2025-11-25 replaced by `oneOf`. */
      readonly hasEnumNames?: true
    }

/** `value` is sent to the server; the title that people see may differ from it. */
export interface Option {
  readonly value: string
  readonly title: string
}

export type QuestionAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, FieldValue>> }
  | { readonly action: 'decline' | 'cancel' }

export type FieldValue = string | number | boolean | readonly string[]

/** The calls that a question may belong to: one where the protocol tells, otherwise all that were under way when it came. */
export interface AskingCalls {
  /**
   * Ids of those that the server has not answered yet: a call that it answered asks nothing more. Undefined as soon as one
   * of several was given up, since the question may have been its own.
   */
  open(): readonly string[] | undefined
  /**
   * The askers of calls that were given up before the question came and that the server may still work on: the question
   * may be about one of them. Empty where the protocol tells.
   */
  left(): readonly unknown[]
  /** Settles when a call ends. */
  changed(): Promise<void>
}

/** Puts a server's question to the owner; undefined if nobody is there. `cancel` if the time is up or `signal` aborts. */
export type Elicit = (
  server: ServerId,
  question: Question,
  calls: AskingCalls,
  signal: AbortSignal,
) => Promise<QuestionAnswer | undefined>

/** The asker of a call that is under way: the one that answers questions about it. Calls of one asker need not be told apart. */
export type AskerOf = (callId: string) => unknown
