/**
 * Everything that leaves for a chat: checked against the clearance of its sink, redacted, split, in order per chat.
 * Sent as plain text in which nothing but Cordon's own links can be tapped.
 */
import type { Redactor } from '../../kernel/ports.ts'
import type { Level } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { type Delivery, deliver } from '../../labels/sink.ts'
import { createSerialQueue, type SerialQueue } from '../../text/serial-queue.ts'
import { printable, seenText } from '../../text/untrusted-text.ts'
import type { BotApi, Shown } from './bot-api.ts'
import { quietEntities } from './quiet-entities.ts'
import type { Recipient } from './recipient.ts'
import { splitText } from './split-text.ts'

export interface Said {
  readonly text: string
  /** How confidential the text is. */
  readonly level: Level
  /** Links of Cordon's own, which may be tapped. */
  readonly links?: readonly string[]
  /** Under the last message. */
  readonly buttons?: Shown['buttons']
  readonly replyTo?: string
}

export interface Sender {
  /** The ids of the messages, the last one with the buttons. */
  say(to: Recipient, said: Said, signal: AbortSignal): Promise<readonly string[]>
  /** Replaces a message of Cordon; a text that is too long for one message goes on in further ones. */
  change(to: Recipient, message: string, said: Said, signal: AbortSignal): Promise<void>
}

interface SenderDeps {
  readonly bot: Pick<BotApi, 'send' | 'edit'>
  readonly redactor: Pick<Redactor, 'redact'>
}

export function createSender({ bot, redactor }: SenderDeps): Sender {
  const queues = new Map<string, SerialQueue>()
  const inOrder = <T>(chat: string, work: () => Promise<T>): Promise<T> => {
    const queue = queues.get(chat) ?? createSerialQueue()
    queues.set(chat, queue)
    return queue(work)
  }
  const piecesOf = ({ sink }: Recipient, said: Said): readonly Shown[] => {
    const delivery = deliverTo(sink, said)
    const isShown = delivery.kind === 'shown'
    const text = hideSecrets(isShown ? said.text : delivery.reason, redactor)
    const { links = [], replyTo } = said
    const buttons = isShown ? said.buttons : undefined // nobody presses a button under words they were not shown
    const pieces = splitText(text)
    return pieces.map((piece, at) => ({
      text: piece,
      entities: quietEntities(piece, links),
      ...(at === pieces.length - 1 && buttons && { buttons }),
      ...(at === 0 && replyTo !== undefined && { replyTo }),
    }))
  }
  const sendAll = async (
    chat: string,
    pieces: readonly Shown[],
    signal: AbortSignal,
  ): Promise<string[]> => {
    const ids: string[] = []
    for (const piece of pieces) ids.push(await bot.send(chat, piece, signal))
    return ids
  }
  return {
    say: (to, said, signal) => inOrder(to.chat, () => sendAll(to.chat, piecesOf(to, said), signal)),
    change: (to, message, said, signal) =>
      inOrder(to.chat, async () => {
        const [first, ...more] = piecesOf(to, said)
        if (first) await bot.edit(to.chat, message, first, signal)
        await sendAll(to.chat, more, signal)
      }),
  }
}

/** Invisible characters go first: one inside a secret would keep it from being found. Without a secret, emoji stay whole. */
function hideSecrets(text: string, redactor: Pick<Redactor, 'redact'>): string {
  const seen = seenText(text)
  const redacted = redactor.redact(seen)
  return redacted === seen ? printable(text) : redacted
}

function deliverTo(sink: Recipient['sink'], { text, level }: Said): Delivery {
  const label = { integrity: 'external', level, origins: new Set<string>() } as const
  return deliver(new Labelled(text, { label }), sink)
}
