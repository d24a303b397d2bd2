/**
 * Routes a message. The order is fixed: a connection in progress or a connect command takes it first, then the commands
 * of the chat, then a turn that plans. A message that setup takes is never seen by anything after it, so no model ever
 * reads a credential.
 */
import type { Sink } from '../labels/sink.ts'
import type { Principal } from './principal.ts'

/** The address of a message in its channel, stored so that it can be deleted even after a restart. */
export interface MessageRef {
  readonly channel: string
  readonly chat: string
  readonly message: string
}

/** Characters of one message. */
export const LONGEST_MESSAGE = 100_000

export interface Message {
  readonly principal: Principal
  readonly text: string
  /** `page`, `telegram`; absent: that of `ref`, or the terminal. */
  readonly channel?: string
  /** Which of several chats of the channel, such as a terminal window; absent: that of `ref`, or the only one. */
  readonly chat?: string
  /** Absent if the channel keeps no copy, as in a terminal. */
  readonly ref?: MessageRef
  /** A group chat: other people can read the message. */
  readonly isGroup?: boolean
  /** Typed at a terminal, where the reply is read and a question can be answered; never set for piped input. */
  readonly isTyped?: boolean
  readonly folder?: string // of the terminal: a trusted project there brings its servers
  /** The person is probably not at this machine. */
  readonly isRemote?: boolean
  /** The channel puts the owner's open questions by itself, with buttons: a call may wait for its answer. */
  readonly isAsked?: boolean
  /** The text that the message replies to, written by somebody else. */
  readonly quoted?: string
  /** The place where the answer is read; absent: a terminal or the page of the owner. */
  readonly sink?: Sink
}

export function channelOf({ channel, ref }: Pick<Message, 'channel' | 'ref'>): string {
  return channel ?? ref?.channel ?? 'terminal'
}

/**
 * Names the conversation that a message belongs to: a question, a draft, `it` and earlier words mean those of the same
 * conversation. The address of `ref` comes first: a channel with `ref` told it, and no client can choose it.
 */
export function conversationOf(message: Pick<Message, 'channel' | 'chat' | 'ref'>): string {
  const { chat, ref } = message
  const within = ref?.chat ?? chat
  return within === undefined ? channelOf(message) : `${channelOf(message)}/${within}`
}

export type Reply =
  /** `wasSecret`: the message must not be kept or shown anywhere. */
  | {
      readonly kind: 'text'
      readonly text: string
      readonly wasSecret?: boolean
      /** Servers that were added and are being started, for the channel to follow. */
      readonly starting?: readonly string[]
      /** Servers whose words are in the text. */
      readonly from?: readonly string[]
      /** The turn is not added to the history: it shows what memory keeps, and must be gone when that is forgotten. */
      readonly isUnrecorded?: boolean
    }
  /** Nothing was done, because the vault is locked. */
  | { readonly kind: 'locked'; readonly text: string }
  /** A turn took the message; its events tell the answer. */
  | { readonly kind: 'turn'; readonly turn: string }
  | { readonly kind: 'unanswered' }

/** A yes to an offer of setup: the handlers after it see this sentence, which the host wrote, in place of the message. */
export interface Meant {
  readonly kind: 'meant'
  readonly text: string
}

/** Answers a message, or returns undefined to leave it to the next handler. */
export type MessageHandler = (message: Message, signal: AbortSignal) => Promise<Reply | undefined>

export type SetupHandler = (
  ...heard: Parameters<MessageHandler>
) => Promise<Reply | Meant | undefined>

/** The handlers of a message, in the order in which they see it. */
export interface MessageHandlers {
  readonly setup: SetupHandler
  readonly chat: MessageHandler
  readonly turns?: MessageHandler
}

export async function receive(
  { setup, chat, turns }: MessageHandlers,
  message: Message,
  signal: AbortSignal,
): Promise<Reply> {
  const taken = await setup(message, signal)
  if (taken && taken.kind !== 'meant') return taken
  const heard = taken ? { ...message, text: taken.text } : message
  const reply = (await chat(heard, signal)) ?? (await turns?.(heard, signal))
  return reply ?? { kind: 'unanswered' }
}
