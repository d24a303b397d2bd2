/**
 * A bot at work: reads its updates, knows its people, answers each chat in order. Every update is on disk as begun
 * before anything is done about it, so none is handled twice. Strangers are read for a pairing code and get silence.
 */
import type { Update } from 'grammy/types'
import type { Audit, Log } from '../../kernel/ports.ts'
import { OWNER } from '../../kernel/principal.ts'
import type { CordonError } from '../../kernel/error.ts'
import { createSerialQueue, type SerialQueue } from '../../text/serial-queue.ts'
import type { BotApi, BotPlace } from './bot-api.ts'
import { answerMessage, type AnswerDeps } from './answer-message.ts'
import type { HandledUpdates } from './handled-updates.ts'
import type { Pairings, Person } from './pairings.ts'
import { pollUpdates } from './poll-updates.ts'
import {
  type Incoming,
  type IncomingMessage,
  type OwnBot,
  type PressedButton,
  readUpdate,
} from './read-update.ts'
import { createRecipient } from './recipient.ts'
import type { Sender } from './sender.ts'
import { wordsOfButton } from './tell-notices.ts'
import type { TelegramQuestions } from './telegram-questions.ts'
import { createUpdateInbox } from './update-inbox.ts'

export interface SessionDeps extends AnswerDeps {
  readonly bot: BotApi
  readonly me: OwnBot
  readonly sender: Sender
  readonly pairings: Pairings
  readonly handled: HandledUpdates
  readonly questions: TelegramQuestions
  readonly audit: Pick<Audit, 'append'>
  readonly log: Log
  readonly sleep: BotPlace['sleep']
  readonly onHealth: (error: CordonError | undefined) => void
}

/** Runs until `signal` aborts; rejects if the token is no longer good. */
export async function runTelegramSession(deps: SessionDeps, signal: AbortSignal): Promise<void> {
  await new TelegramSession(deps, signal).run()
}

class TelegramSession {
  readonly #deps: SessionDeps
  readonly #signal: AbortSignal
  /** Ends the messages that are worked on, a while after the last one was read. */
  readonly #over = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #inbox: ReturnType<typeof createUpdateInbox>
  readonly #chats = new Map<string, SerialQueue>()

  constructor(deps: SessionDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#signal = signal
    this.#inbox = createUpdateInbox((update) => deps.handled.has(update))
  }

  async run(): Promise<void> {
    await this.#tellInterrupted()
    const onUpdate = (update: Update): void => this.#arrive(update)
    try {
      await pollUpdates({ ...this.#deps, inbox: this.#inbox, onUpdate }, this.#signal)
    } finally {
      const late = this.#deps.sleep(FINISH_MS, this.#over.signal).catch(() => undefined)
      await Promise.race([Promise.allSettled(this.#running), late])
      this.#over.abort()
    }
  }

  #arrive(update: Update): void {
    const { me, pairings, questions } = this.#deps
    const incoming = readUpdate(update, me)
    if (!incoming) return this.#inbox.release(update.update_id)
    const person = pairings.find(incoming.sender)
    if (!person) return void this.#meetStranger(incoming)
    const isOverheard = incoming.kind === 'message' && incoming.isGroup && !incoming.isAddressed
    if (isOverheard) return this.#inbox.release(update.update_id)
    const work = (): Promise<void> => this.#handle(incoming, person)
    // An answer passes the message that waits for it.
    const isAnswer =
      incoming.kind === 'press' ||
      this.#turnToStop(incoming) !== undefined ||
      this.#deps.asking.has(incoming.chat) ||
      questions.isAnswer(incoming, person)
    const running = isAnswer ? work() : this.#inOrder(incoming.chat, work)
    this.#running.add(running)
    void running.finally(() => this.#running.delete(running))
  }

  #inOrder(chat: string, work: () => Promise<void>): Promise<void> {
    const queue = this.#chats.get(chat) ?? createSerialQueue()
    this.#chats.set(chat, queue)
    return queue(work)
  }

  /** Never rejects. An update that cannot be set down as begun stays with Telegram and comes again. */
  async #handle(incoming: Incoming, person: Person): Promise<void> {
    const { handled, log } = this.#deps
    if (this.#signal.aborted) return
    const { update, chat, message } = incoming
    try {
      const isOurs = await handled.begin(update, { chat, message })
      if (!isOurs) return this.#inbox.release(update)
    } catch (error) {
      log.error('A message of Telegram is left for later: it cannot be recorded', { error })
      await this.#deps.sleep(1000, this.#signal).catch(() => undefined)
      return this.#inbox.giveBack(update)
    }
    this.#inbox.release(update)
    try {
      await this.#answer(incoming, person)
      await handled.end(update)
    } catch (error) {
      if (!this.#over.signal.aborted) log.error('An update of Telegram was not answered', { error })
    }
  }

  async #answer(incoming: Incoming, person: Person): Promise<void> {
    const { questions } = this.#deps
    if (incoming.kind === 'press') return await this.#press(incoming, person)
    const turn = this.#turnToStop(incoming)
    if (turn !== undefined) return void (await this.#deps.api.call('chat.cancel', { turn }))
    if (await questions.answer(incoming, person, this.#over.signal)) return
    using _working = questions.attend()
    await answerMessage(this.#deps, incoming, person, this.#over.signal)
  }

  /** The turn that is worked on in this chat, if the message asks to stop it; the turn itself says how it ended. */
  #turnToStop({ text, chat, isGroup }: IncomingMessage): string | undefined {
    const isMeant = !isGroup && /^\/?(?:cancel|stop)$/i.test(text.trim())
    return isMeant ? this.#deps.running.get(chat) : undefined
  }

  async #press(press: PressedButton, person: Person): Promise<void> {
    const { bot, questions } = this.#deps
    const words = press.sender === press.chat ? wordsOfButton(press.data) : undefined
    if (words === undefined) return await questions.press(press, person, this.#over.signal)
    await bot.answerPress(press.id, '', this.#over.signal)
    await answerMessage(
      this.#deps,
      { ...PRESSED, ...press, kind: 'message', text: words },
      person,
      this.#over.signal,
    )
  }

  /** Only a text in a private chat can be a code, and only the right code is ever answered. */
  async #meetStranger(incoming: Incoming): Promise<void> {
    const { pairings, handled, log } = this.#deps
    const { update, chat, message } = incoming
    try {
      const isRead = incoming.kind === 'message' && !incoming.isGroup && !incoming.isForwarded
      const person = isRead ? await pairings.tryCode(incoming.text, senderOf(incoming)) : undefined
      if (!person) return
      if (!(await handled.begin(update, { chat, message }))) return
      await this.#welcome(person, chat)
      await handled.end(update)
    } catch (error) {
      if (!this.#over.signal.aborted) log.error('A pairing was not finished', { error })
    } finally {
      this.#inbox.release(update)
    }
  }

  async #welcome(person: Person, chat: string): Promise<void> {
    const { audit, sender } = this.#deps
    const details = { channel: 'telegram', role: person.role, account: person.id }
    audit.append({ kind: 'channels.paired', principal: OWNER.id, details })
    const to = createRecipient(chat, person, false)
    const text = person.role === 'owner' ? WELCOME_OWNER : WELCOME
    await sender.say(to, { text, level: 'public' }, this.#over.signal)
  }

  /** A message that was begun by a process that died: whether it was done is not known, so it is not done again. */
  async #tellInterrupted(): Promise<void> {
    const { handled, pairings, sender } = this.#deps
    for (const { chat, message } of await handled.takeInterrupted()) {
      const person = pairings.find(chat)
      if (!person) continue // a group, or somebody who was unpaired since
      const said = { text: INTERRUPTED, level: 'public', replyTo: message } as const
      void sender
        .say(createRecipient(chat, person, false), said, this.#over.signal)
        .catch(() => undefined)
    }
  }
}

function senderOf({ sender, name }: IncomingMessage): {
  readonly id: string
  readonly name: string
} {
  return { id: sender, name }
}

/** How long an answer that is nearly done is waited for when the kernel stops. */
const FINISH_MS = 3000

/** A pressed button as the message that it stands for. */
const PRESSED = {
  name: '',
  isGroup: false,
  isForwarded: false,
  hasFile: false,
  isAddressed: true,
} as const

const WELCOME_OWNER =
  'This chat is yours now: I take what you write here as your words, and ask you here when I need a yes. Say `help` to see what I understand.'
const WELCOME = 'You are paired with this assistant. What you may ask is decided by its owner.'
const INTERRUPTED =
  'I was stopped while I worked on this. It may be done, half done or not begun: look, before you send it again.'
