/**
 * Routes a message. The order is fixed: a connection in progress or a connect command takes it first, then the chat. A
 * message that setup takes is never seen by anything after it, so no model ever reads a credential.
 */
import type { Principal } from './principal.ts'

/** The address of a message in its channel, stored so that it can be deleted even after a restart. */
export interface MessageRef {
  readonly channel: string
  readonly chat: string
  readonly message: string
}

export interface Message {
  readonly principal: Principal
  readonly text: string
  /** Absent if the channel keeps no copy, as in a terminal. */
  readonly ref?: MessageRef
  /** A group chat: other people can read the message. */
  readonly isGroup?: boolean
  /** Typed at a terminal, where the reply is read and a question can be answered; never set for piped input. */
  readonly isTyped?: boolean
  /** The person is probably not at this machine. */
  readonly isRemote?: boolean
}

export type Reply =
  /** `wasSecret`: the message must not be kept or shown anywhere. */
  | { readonly kind: 'text'; readonly text: string; readonly wasSecret?: boolean }
  /** No handler answered the message. */
  | { readonly kind: 'unanswered' }

/** Answers a message, or returns undefined to leave it to the next handler. */
export type MessageHandler = (message: Message, signal: AbortSignal) => Promise<Reply | undefined>

/** The handlers of a message, in the order in which they see it. */
export interface MessageHandlers {
  readonly setup: MessageHandler
  readonly chat: MessageHandler
}

export async function receive(
  { setup, chat }: MessageHandlers,
  message: Message,
  signal: AbortSignal,
): Promise<Reply> {
  const reply = (await setup(message, signal)) ?? (await chat(message, signal))
  return reply ?? { kind: 'unanswered' }
}
