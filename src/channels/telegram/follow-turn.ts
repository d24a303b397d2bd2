/**
 * A turn in a chat: its plan and steps in one message that grows, its answer in another, which is edited while a model
 * writes it. Edits are at least a second and a half apart, since Telegram limits them. A group sees the answer alone.
 */
import type { Api } from '../../api/contract.ts'
import { pausePoll } from '../../api/long-poll.ts'
import { plainText, TurnLines } from '../../api/show-turn.ts'
import type { TurnEvent } from '../../ports/turn-port.ts'
import { inChatWords } from '../../text/in-chat-words.ts'
import { showUsage } from '../../text/token-usage.ts'
import type { Recipient } from './recipient.ts'
import type { Sender } from './sender.ts'

export interface TurnDeps {
  readonly api: Api<'chat.follow'>
  /** The turn that is followed in each chat. */
  readonly running: Map<string, string>
  /** Chats in which a turn waits for the answer to a server's question. */
  readonly asking: Set<string>
  readonly sender: Sender
  readonly now: () => number
}

const EDIT_MS = 1500
/** An answer that outgrows one message is shown again when it is whole. */
const LONGEST_DRAFT = 4000

export async function followTurn(
  deps: TurnDeps,
  to: Recipient,
  turn: string,
  signal: AbortSignal,
): Promise<void> {
  const shown = new ShownTurn(deps, to, signal)
  deps.running.set(to.chat, turn)
  using _followed = {
    [Symbol.dispose]() {
      deps.running.delete(to.chat)
      deps.asking.delete(to.chat)
    },
  }
  for (let after = 0; ; ) {
    const { events, isOver } = await deps.api.call('chat.follow', { turn, after }, signal)
    for (const event of events) {
      if (event.kind === 'question') deps.asking.add(to.chat)
      else deps.asking.delete(to.chat)
      await shown.show(event)
      after = event.number
    }
    if (isOver) return
    if (events.length === 0) await pausePoll(signal)
  }
}

class ShownTurn {
  readonly #deps: TurnDeps
  readonly #to: Recipient
  readonly #signal: AbortSignal
  readonly #progress: GrowingMessage
  readonly #answer: GrowingMessage
  readonly #isAlone: boolean
  #steps = ''
  #draft = ''

  constructor(deps: TurnDeps, to: Recipient, signal: AbortSignal) {
    this.#deps = deps
    this.#to = to
    this.#signal = signal
    this.#progress = new GrowingMessage(deps, to, signal)
    this.#answer = new GrowingMessage(deps, to, signal)
    this.#isAlone = to.sink.clearance === 'regulated'
  }

  async show(event: TurnEvent): Promise<void> {
    if (event.kind === 'answer') {
      if (this.#steps !== '') await this.#progress.finish(this.#steps)
      const spent = event.usage && this.#isAlone ? `\n\n${showUsage(event.usage)}` : ''
      await this.#answer.finish(`${inChatWords(event.text)}${spent}`)
      return
    }
    // The plan and its values were checked for the owner's eyes; an open question is put with its buttons.
    if (!this.#isAlone || event.kind === 'approval') return
    if (event.kind === 'question') return await this.#ask(event.text)
    if (event.kind === 'piece') {
      this.#draft += event.text
      if (this.#draft.length <= LONGEST_DRAFT) await this.#answer.grow(this.#draft)
      return
    }
    const lines = new TurnLines().show(event).map(plainText)
    this.#steps = [this.#steps, ...lines].filter(Boolean).join('\n')
    await this.#progress.grow(this.#steps)
  }

  /** A message of its own, below the steps before it. */
  async #ask(text: string): Promise<void> {
    if (this.#steps !== '') await this.#progress.finish(this.#steps)
    await new GrowingMessage(this.#deps, this.#to, this.#signal).finish(inChatWords(text))
  }
}

/** A message of the bot, edited as its text grows. */
class GrowingMessage {
  readonly #deps: TurnDeps
  readonly #to: Recipient
  readonly #signal: AbortSignal
  #message: string | undefined
  #shown = ''
  #changedAt = 0

  constructor(deps: TurnDeps, to: Recipient, signal: AbortSignal) {
    this.#deps = deps
    this.#to = to
    this.#signal = signal
  }

  /** Leaves the text to the next one if the last edit was a moment ago. */
  async grow(text: string): Promise<void> {
    const isEarly = this.#deps.now() - this.#changedAt < EDIT_MS
    if (this.#message === undefined || !isEarly) await this.finish(text)
  }

  async finish(text: string): Promise<void> {
    if (text === this.#shown || text.trim() === '') return
    const { sender, now } = this.#deps
    // The pipeline has checked the text against this very sink.
    const said = { text, level: this.#to.sink.clearance }
    if (this.#message === undefined) {
      const ids = await sender.say(this.#to, said, this.#signal)
      this.#message = ids.length === 1 ? ids[0] : undefined
    } else {
      await sender.change(this.#to, this.#message, said, this.#signal)
    }
    this.#shown = text
    this.#changedAt = now()
  }
}
