/**
 * The owner's open questions in their private chat, with buttons. A button holds for the exact calls it was shown
 * with, in the message it was sent in, pressed by the owner's account; a question is answered once. So a button that
 * is forwarded, pressed twice or sent again does nothing.
 */
import { z } from 'zod'
import type { Api } from '../../api/contract.ts'
import type { ShownApproval } from '../../kernel/approval-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Log, Notes } from '../../kernel/ports.ts'
import type { BotApi, BotPlace } from './bot-api.ts'
import type { Pairings, Person } from './pairings.ts'
import {
  bindingOf,
  closedMessage,
  offerIn,
  questionMessage,
  readButton,
  type Verb,
} from './question-message.ts'
import type { IncomingMessage, PressedButton } from './read-update.ts'
import { createRecipient, type Recipient } from './recipient.ts'
import type { Sender } from './sender.ts'

type QuestionsApi = Api<'approvals.list' | 'approvals.show' | 'approvals.answer'>

export interface TelegramQuestions {
  /** Puts open questions, and closes those that are over, until `signal` aborts. */
  follow(signal: AbortSignal): Promise<void>
  press(press: PressedButton, person: Person, signal: AbortSignal): Promise<void>
  /** Whether this text answers an open question. */
  isAnswer(message: IncomingMessage, person: Person): boolean
  /** True if it was an answer. */
  answer(message: IncomingMessage, person: Person, signal: AbortSignal): Promise<boolean>
  /** A message of the owner is worked on: its questions are put at once. */
  attend(): Disposable
}

export interface QuestionDeps {
  readonly api: QuestionsApi
  readonly bot: Pick<BotApi, 'answerPress'>
  readonly sender: Sender
  readonly pairings: Pick<Pairings, 'owner'>
  readonly notes: Notes
  readonly log: Log
  readonly now: () => number
  readonly sleep: BotPlace['sleep']
  /** Whether Telegram answered the last request for updates. */
  readonly isUp: () => boolean
}

const KIND = 'telegram.question'
/** A question that was asked elsewhere may be answered there first. */
const GRACE_MS = 10_000
const PAUSE_MS = 1000
const LONGEST_MS = 20_000

const shape = z.object({
  chat: z.string(),
  message: z.string(),
  binding: z.string(),
  isWhole: z.boolean(),
})
type Put = z.infer<typeof shape>

export async function openTelegramQuestions(deps: QuestionDeps): Promise<TelegramQuestions> {
  const put = new Map<string, Put>()
  for (const { id, content } of await deps.notes.list(KIND))
    put.set(id, shape.parse(JSON.parse(content)))
  return new Questions(deps, put)
}

class Questions implements TelegramQuestions {
  readonly #deps: QuestionDeps
  /** The message of each question, by its id. */
  readonly #put: Map<string, Put>
  #attending = 0

  constructor(deps: QuestionDeps, put: Map<string, Put>) {
    this.#deps = deps
    this.#put = put
  }

  attend(): Disposable {
    this.#attending += 1
    return { [Symbol.dispose]: () => void (this.#attending -= 1) }
  }

  async follow(signal: AbortSignal): Promise<void> {
    for (let after: number | undefined; !signal.aborted; ) {
      // A question that is listed counts as shown, so none is listed for nobody: others are told of it then.
      if (!this.#owner() || !this.#deps.isUp()) {
        await this.#deps.sleep(PAUSE_MS, signal)
        continue
      }
      const waitMs = after === undefined ? 0 : await this.#look(signal)
      const either = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
      const input = after === undefined ? {} : { after }
      const { version } = await this.#deps.api.call('approvals.list', input, either)
      after = version
    }
  }

  /** Puts and closes questions; returns for how long nothing can be due. */
  async #look(signal: AbortSignal): Promise<number> {
    const { approvals } = await this.#deps.api.call('approvals.list', {})
    try {
      for (const id of this.#put.keys())
        if (!approvals.some((one) => one.id === id)) await this.#close(id, signal)
      const dues: number[] = []
      for (const shown of approvals) dues.push(await this.#putOnce(shown, signal))
      return Math.max(Math.min(LONGEST_MS, ...dues), 50)
    } catch (error) {
      if (signal.aborted) throw error
      this.#deps.log.warn('A question cannot be put in Telegram', { error })
      return PAUSE_MS
    }
  }

  /** Puts the question if it is time; returns how long it is until something is due about it. */
  async #putOnce(shown: ShownApproval, signal: AbortSignal): Promise<number> {
    const { now } = this.#deps
    const to = this.#owner()
    if (!to) return LONGEST_MS
    const restMs = this.#attending > 0 ? 0 : Date.parse(shown.createdAt) + GRACE_MS - now()
    const isPut = this.#put.has(shown.id)
    if (!isPut && restMs > 0) return restMs
    if (!isPut) await this.#show(shown, to, signal, false)
    return Date.parse(shown.expiresAt) - now() + 10
  }

  #owner(): Recipient | undefined {
    const person = this.#deps.pairings.owner()
    return person && createRecipient(person.id, person, false)
  }

  async #show(
    shown: ShownApproval,
    to: Recipient,
    signal: AbortSignal,
    isWhole: boolean,
  ): Promise<void> {
    const ids = await this.#deps.sender.say(to, questionMessage(shown, isWhole), signal)
    const put = { chat: to.chat, message: ids.at(-1) ?? '', binding: bindingOf(shown), isWhole }
    await this.#deps.notes.put(KIND, shown.id, JSON.stringify(put))
    this.#put.set(shown.id, put)
  }

  async #close(id: string, signal: AbortSignal): Promise<void> {
    const { api, notes, sender } = this.#deps
    const put = this.#put.get(id)
    if (!put) return
    this.#put.delete(id) // first: from now on its buttons do nothing
    await notes.remove(KIND, id)
    const shown = await api.call('approvals.show', { id, full: false }).catch(() => undefined)
    const to = this.#owner()
    if (!shown || to?.chat !== put.chat) return
    await sender.change(to, put.message, closedMessage(shown, put.isWhole), signal)
  }

  async press(press: PressedButton, person: Person, signal: AbortSignal): Promise<void> {
    const { bot } = this.#deps
    const pressed = readButton(press.data)
    const found = [...this.#put].find(
      ([, { binding, chat, message }]) =>
        binding === pressed?.binding && chat === press.chat && message === press.message,
    )
    const isOwn = person.role === 'owner' && press.sender === press.chat
    if (!pressed || !found || !isOwn) return await bot.answerPress(press.id, NOT_OPEN, signal)
    const [id, put] = found
    const text = await this.#act(id, put, pressed.verb, signal)
    await bot.answerPress(press.id, text, signal)
  }

  isAnswer(message: IncomingMessage, person: Person): boolean {
    return this.#asked(message, person).length > 0
  }

  async answer(message: IncomingMessage, person: Person, signal: AbortSignal): Promise<boolean> {
    const asked = this.#asked(message, person)
    const to = this.#owner()
    const [first, ...others] = asked
    if (!first || !to) return false
    const [id, put] = first
    const text =
      others.length > 0 ? WHICH : await this.#act(id, put, verbOf(message.text) ?? 'deny', signal)
    await this.#deps.sender.say(to, { text, level: 'public', replyTo: message.message }, signal)
    return true
  }

  /** The open question that the message replies to; all open questions if it replies to none. */
  #asked({ text, chat, replyTo, isForwarded }: IncomingMessage, { role }: Person): [string, Put][] {
    if (role !== 'owner' || isForwarded || verbOf(text) === undefined) return []
    const open = [...this.#put].filter(([, put]) => put.chat === chat)
    const replied = open.filter(([, { message }]) => message === replyTo)
    return replied.length > 0 ? replied : open
  }

  /** Carries out the answer, and returns a line about it. */
  async #act(id: string, put: Put, verb: Verb, signal: AbortSignal): Promise<string> {
    const { api, log } = this.#deps
    try {
      const shown = await api.call('approvals.show', { id, full: verb === 'full' })
      if (shown.state === 'pending' && bindingOf(shown) === put.binding)
        return await this.#carryOut(shown, put, verb, signal)
      await this.#close(id, signal)
    } catch (error) {
      if (!(error instanceof CordonError) || signal.aborted) throw error
      log.warn('An answer given in Telegram was not taken', { error })
    }
    return NOT_OPEN
  }

  async #carryOut(
    shown: ShownApproval,
    { isWhole }: Put,
    verb: Verb,
    signal: AbortSignal,
  ): Promise<string> {
    const to = this.#owner()
    if (verb === 'full' && to) {
      await this.#show(shown, to, signal, true)
      return 'Here it is, all of it.'
    }
    if (verb === 'full' || (verb !== 'deny' && shown.needsFullView && !isWhole)) return SEE_FIRST
    await this.#send(shown, verb)
    await this.#close(shown.id, signal)
    return verb === 'deny' ? 'Denied.' : 'Allowed.'
  }

  /** An answer allows calls of one server, so a question about several is answered for one after the other. */
  async #send({ id, items }: ShownApproval, verb: Exclude<Verb, 'full'>): Promise<void> {
    const { api } = this.#deps
    const grant = verb === 'always' ? offerIn({ items }) : undefined
    if (verb === 'deny') {
      await api.call('approvals.answer', { id, allow: [], channel: 'chat' })
      return
    }
    const open = items.filter(({ isAllowed }) => isAllowed === undefined)
    for (const calls of Map.groupBy(open, ({ tool }) => tool.server).values()) {
      const allow = calls.map(({ digest }) => digest)
      await api.call('approvals.answer', { id, allow, channel: 'chat', ...(grant && { grant }) })
    }
  }
}

function verbOf(text: string): 'allow' | 'always' | 'deny' | undefined {
  const word = text.trim().toLowerCase()
  if (word === 'y' || word === 'yes') return 'allow'
  if (word === 'a' || word === 'always') return 'always'
  return word === 'n' || word === 'no' ? 'deny' : undefined
}

const NOT_OPEN = 'This question is not open any more.'
const SEE_FIRST = 'See it all first: press Show it all.'
const WHICH =
  'More than one question is open: press the button of the one you mean, or reply to it.'
