/**
 * An update of Telegram as the channel sees it: a message of a person, or a pressed button. Bots, channels and senders
 * who hide behind a group have no account that could be paired, so their updates are no message. Pure.
 */
import type { Message, Update } from 'grammy/types'
import { fileIn, type IncomingFile } from './incoming-file.ts'

export interface IncomingMessage {
  readonly kind: 'message'
  readonly update: number
  readonly chat: string
  readonly message: string
  /** The id of the account, as Telegram authenticated it. */
  readonly sender: string
  /** Chosen by the sender, so untrusted. */
  readonly name: string
  readonly isGroup: boolean
  /** Without the mention of the bot. */
  readonly text: string
  /** The text that this message replies to or forwards: words of somebody else. */
  readonly quoted?: string
  /** The message that this one replies to. */
  readonly replyTo?: string
  /** The text was written by somebody else, or by another bot. */
  readonly isForwarded: boolean
  /** A file, a voice note, a picture, a place: more than text. */
  readonly hasFile: boolean
  /** The file of this message, or of the message that it answers. */
  readonly file?: IncomingFile
  /** In a group: it mentions the bot or replies to it. */
  readonly isAddressed: boolean
}

export interface PressedButton {
  readonly kind: 'press'
  readonly update: number
  readonly id: string
  readonly chat: string
  readonly message: string
  readonly sender: string
  readonly data: string
}

export type Incoming = IncomingMessage | PressedButton

export interface OwnBot {
  readonly id: number
  readonly username: string
}

export function readUpdate(update: Update, bot: OwnBot): Incoming | undefined {
  const { message, callback_query: press } = update
  if (message) return readMessage(update.update_id, message, bot)
  if (!press?.message || press.data === undefined || press.from.is_bot) return undefined
  return {
    kind: 'press',
    update: update.update_id,
    id: press.id,
    chat: String(press.message.chat.id),
    message: String(press.message.message_id),
    sender: String(press.from.id),
    data: press.data,
  }
}

function readMessage(update: number, message: Message, bot: OwnBot): IncomingMessage | undefined {
  const { from, chat } = message
  if (!from || from.is_bot || message.sender_chat) return undefined
  const whole = message.text ?? message.caption ?? ''
  const text = withoutMention(whole, bot)
  const isReply = message.reply_to_message?.from?.id === bot.id
  return {
    kind: 'message',
    update,
    chat: String(chat.id),
    message: String(message.message_id),
    sender: String(from.id),
    name: [from.first_name, from.last_name].filter(Boolean).join(' '),
    isGroup: chat.type !== 'private',
    text,
    ...quotedIn(message, bot),
    isForwarded: message.forward_origin !== undefined || message.via_bot !== undefined,
    hasFile: message.text === undefined,
    ...fileOf(message),
    isAddressed: isReply || text !== whole,
  }
}

function fileOf(message: Message): Pick<IncomingMessage, 'file'> {
  const { text, reply_to_message: replied } = message
  const file = text === undefined || !replied ? fileIn(message) : fileIn(replied)
  return file ? { file } : {}
}

function quotedIn(message: Message, bot: OwnBot): Pick<IncomingMessage, 'quoted' | 'replyTo'> {
  const { reply_to_message: replied, quote } = message
  const quoted = quote?.text ?? (replied && wholeOf(replied, bot))
  return {
    ...(quoted !== undefined && { quoted }),
    ...(replied && { replyTo: String(replied.message_id) }),
  }
}

/** An answer of the bot is quoted only where a part of it was chosen: "yes" to its question means the question. */
function wholeOf(
  { from, text, caption }: NonNullable<Message['reply_to_message']>,
  bot: OwnBot,
): string | undefined {
  return from?.id === bot.id ? undefined : (text ?? caption)
}

/** `@name` anywhere, and `/command@name`, as Telegram writes a command in a group. */
function withoutMention(text: string, { username }: OwnBot): string {
  const mention = new RegExp(String.raw`(?<![\w@])@${username}\b|(?<=^/\w+)@${username}\b`, 'giu')
  const without = text.replaceAll(mention, '')
  return without === text ? text : without.replaceAll(/ {2,}/g, ' ').trim()
}
