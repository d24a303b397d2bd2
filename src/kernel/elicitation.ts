/** What a server asks its owner while it works on a call, and the answer. All of a question is the server's word. */
import type { ServerId } from './server-id.ts'

export type Question =
  | { readonly kind: 'form'; readonly message: string; readonly fields: readonly QuestionField[] }
  /** The owner is to visit a page. Nothing opens it for them, or before they said so. */
  | { readonly kind: 'visit'; readonly message: string; readonly url: string }

export type QuestionField = FieldInput & {
  /** The key of its answer. */
  readonly name: string
  readonly title: string
  readonly description?: string
  readonly isRequired: boolean
}

export type FieldInput =
  | { readonly kind: 'text'; readonly format?: string }
  | { readonly kind: 'number'; readonly isWhole: boolean }
  | { readonly kind: 'yes-no' }
  | { readonly kind: 'choice' | 'choices'; readonly options: readonly Option[] }

/** `value` is what the server gets; a title may say something else. */
export interface Option {
  readonly value: string
  readonly title: string
}

export type QuestionAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, FieldValue>> }
  | { readonly action: 'decline' | 'cancel' }

type FieldValue = string | number | boolean | readonly string[]

/** Puts a server's question to its owner. No answer in time is `cancel`, and so is any after `signal` aborts. */
export type Elicit = (
  server: ServerId,
  question: Question,
  signal: AbortSignal,
) => Promise<QuestionAnswer>
