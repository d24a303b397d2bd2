/**
 * What happens to a message. The order is fixed: a setup flow may take it, then a connect command, then the pipeline.
 * A message that setup takes is never seen by anything after it, so no model ever reads a credential.
 */
import type { Principal } from './principal.ts'

/** Where a message stands, so that it can be deleted, also after a restart. */
export interface MessageRef {
  readonly channel: string
  readonly chat: string
  readonly message: string
}

export interface Message {
  readonly principal: Principal
  readonly text: string
  /** Absent where nothing remains of it, as in a terminal. */
  readonly ref?: MessageRef
  /** Others read along. */
  readonly isGroup?: boolean
  /** The person is probably not at this machine. */
  readonly isRemote?: boolean
}

export type Reply =
  /** `wasSecret`: the message must not be kept or shown anywhere. */
  | { readonly kind: 'text'; readonly text: string; readonly wasSecret?: boolean }
  /** Nothing in this house can answer it yet. */
  | { readonly kind: 'unanswered' }

/** Takes a message and answers it, or leaves it to the next. */
export type MessageHandler = (message: Message, signal: AbortSignal) => Promise<Reply | undefined>

/** Those who may take a message, in the order in which they see it. */
export interface Takers {
  readonly setup: MessageHandler
  readonly chat: MessageHandler
}

export async function receive(
  { setup, chat }: Takers,
  message: Message,
  signal: AbortSignal,
): Promise<Reply> {
  const reply = (await setup(message, signal)) ?? (await chat(message, signal))
  return reply ?? { kind: 'unanswered' }
}
