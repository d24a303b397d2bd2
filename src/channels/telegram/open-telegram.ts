/**
 * The Telegram channel: a bot of the owner's own, its token in the vault, and the people it may talk to. Works only in
 * a kernel that stays up. Its API is all that this room asks; nothing is answered before a person is paired.
 */
import { z } from 'zod'
import type { ChannelDeps, ChannelView } from '../../api/channels.ts'
import type { Chats } from '../../ports/delivery-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Outlet } from '../../ports/setup-port.ts'
import { ownLinks } from './answer-message.ts'
import { type BotApi, createBotApi } from './bot-api.ts'
import { type HandledUpdates, openHandledUpdates } from './handled-updates.ts'
import { openPairings, type Pairings } from './pairings.ts'
import { createRecipient } from './recipient.ts'
import type { Said, Sender } from './sender.ts'
import { badToken, noOwnerYet, notAdded } from './telegram-errors.ts'
import { TELEGRAM_TOKEN, type TelegramDeps, type TelegramServing } from './telegram-deps.ts'
import { createTelegramChats } from './telegram-chats.ts'
import { TelegramWorker } from './telegram-worker.ts'

export type Telegram = ChannelDeps['telegram'] &
  AsyncDisposable & {
    readonly outlet: Outlet
    /** The private chats of the owner and of paired people. */
    readonly chats: Chats
    /** Begins to read messages, if a bot is added. */
    begin(serving: TelegramServing): Promise<void>
    /** Stops reading messages. */
    end(): Promise<void>
  }

const BOT = 'telegram.bot'
const TOKEN_SHAPE = /^\d{5,20}:[\w-]{30,100}$/
/** The kinds of notes that belong to one bot. */
const KEPT = ['telegram.question', 'telegram.notice'] as const
const TEST_MS = 15_000
const DELETE_MS = 10_000

const botShape = z.object({ id: z.number(), username: z.string() })
type KeptBot = z.infer<typeof botShape>

export async function openTelegram(deps: TelegramDeps): Promise<Telegram> {
  const { notes, now } = deps
  const pairings = await openPairings({ notes, now })
  const handled = await openHandledUpdates({ notes, now })
  const [kept] = await notes.list(BOT)
  const bot = kept && botShape.parse(JSON.parse(kept.content))
  return new TelegramRoom(deps, { pairings, handled }, bot)
}

interface Records {
  readonly pairings: Pairings
  readonly handled: HandledUpdates
}

class TelegramRoom implements Telegram {
  readonly outlet: Outlet
  readonly chats: Chats
  readonly #deps: TelegramDeps
  readonly #records: Records
  #kept: KeptBot | undefined
  #serving: TelegramServing | undefined
  #worker: TelegramWorker | undefined

  constructor(deps: TelegramDeps, records: Records, kept: KeptBot | undefined) {
    this.#deps = deps
    this.#records = records
    this.#kept = kept
    this.outlet = {
      say: async (_principal, text, isRemote) => {
        if (isRemote) void this.#sayLater(text)
      },
      remove: ({ channel, chat, message }) =>
        channel === 'telegram' ? this.#removeMessage(chat, message) : Promise.resolve(true),
    }
    this.chats = createTelegramChats({
      people: () => (this.#kept ? records.pairings.list() : []),
      reach: async (signal) => {
        if (!this.#worker) throw notAdded()
        return (await this.#worker.reachable(signal)).sender
      },
    })
  }

  async begin(serving: TelegramServing): Promise<void> {
    this.#serving = serving
    this.#start()
  }

  async end(): Promise<void> {
    this.#serving = undefined
    await this.#stop()
  }

  async view(): Promise<ChannelView> {
    const people = this.#records.pairings.list()
    if (!this.#kept) return { channel: 'telegram', state: 'off', people: [] }
    const bot = `@${this.#kept.username}`
    const health = this.#worker?.health ?? { state: 'off' as const }
    return { channel: 'telegram', ...health, bot, people }
  }

  async add(
    typed: string,
    signal: AbortSignal,
  ): Promise<{ readonly bot: string; readonly replaced: boolean }> {
    const { vault, owner, notes, audit, place } = this.#deps
    const token = typed.trim()
    if (!TOKEN_SHAPE.test(token)) throw badToken()
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TEST_MS)])
    const { id, username } = await createBotApi(token, place).me(limit)
    await this.#stop()
    const replaced = this.#kept !== undefined
    // Each bot numbers its updates by itself, so a new bot may use an old number for a new message.
    if (this.#kept?.id !== id) await this.#records.handled.clear()
    await vault.set(owner, TELEGRAM_TOKEN, Buffer.from(token))
    const kept = { id, username }
    await notes.put(BOT, BOT, JSON.stringify(kept))
    this.#kept = kept
    audit.append({
      kind: 'channels.added',
      principal: owner,
      details: { channel: 'telegram', bot: id },
    })
    this.#start()
    return { bot: `@${username}`, replaced }
  }

  async pair(role: Parameters<Telegram['pair']>[0]): ReturnType<Telegram['pair']> {
    if (!this.#kept) throw notAdded()
    const code = await this.#records.pairings.createCode(role)
    return { ...code, bot: `@${this.#kept.username}` }
  }

  async unpair(person: string): ReturnType<Telegram['unpair']> {
    const { audit, owner } = this.#deps
    const gone = await this.#records.pairings.remove(person)
    const details = { channel: 'telegram', role: gone.role, account: gone.id }
    audit.append({ kind: 'channels.unpaired', principal: owner, details })
    return gone
  }

  async remove(): Promise<void> {
    const { vault, owner, notes, audit } = this.#deps
    if (!this.#kept) throw notAdded()
    await this.#stop()
    await vault.remove(owner, TELEGRAM_TOKEN)
    await this.#records.pairings.clear()
    await this.#records.handled.clear()
    for (const kind of KEPT)
      for (const { id } of await notes.list(kind)) await notes.remove(kind, id)
    await notes.remove(BOT, BOT)
    this.#kept = undefined
    audit.append({ kind: 'channels.removed', principal: owner, details: { channel: 'telegram' } })
  }

  async test(signal: AbortSignal): ReturnType<Telegram['test']> {
    if (!this.#kept) throw notAdded()
    const owner = this.#records.pairings.owner()
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TEST_MS)])
    const { bot, sender } = await this.#connected(limit)
    const { username } = await bot.me(limit)
    if (!owner) throw noOwnerYet()
    const said = { text: 'This is a test of Cordon: this chat works.', level: 'public' } as const
    await sender.say(createRecipient(owner.id, owner, false), said, limit)
    return { bot: `@${username}`, sentTo: owner.name }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end()
  }

  #start(): void {
    if (!this.#kept || !this.#serving) return
    const { outlet } = this
    this.#worker = new TelegramWorker({
      ...this.#deps,
      ...this.#records,
      ...this.#serving,
      remove: (message) => outlet.remove(message),
    })
  }

  async #stop(): Promise<void> {
    await this.#worker?.[Symbol.asyncDispose]()
    this.#worker = undefined
  }

  /** Throws the reason if the bot is not at work before `signal` aborts. */
  async #connected(
    signal: AbortSignal,
  ): Promise<{ readonly bot: BotApi; readonly sender: Sender; readonly ended: AbortSignal }> {
    const working = await this.#worker?.connected(signal)
    if (working) return working
    throw this.#worker?.problem ?? notAdded()
  }

  async #sayLater(text: string): Promise<void> {
    const { pairings } = this.#records
    try {
      const { sender, ended } = await this.#connected(new AbortController().signal)
      const owner = pairings.owner()
      if (!owner) return
      const links = this.#serving ? await ownLinks(this.#serving.api) : []
      const said: Said = { text, level: 'sensitive', links }
      await sender.say(createRecipient(owner.id, owner, false), said, ended)
    } catch (error) {
      this.#deps.log.warn('The owner could not be told in Telegram', { error })
    }
  }

  /** While Telegram cannot be reached the person is warned at once, and the message is deleted as soon as it can be. */
  async #removeMessage(chat: string, message: string): Promise<boolean> {
    const limit = AbortSignal.timeout(DELETE_MS)
    try {
      const { bot, ended } = await this.#connected(limit)
      try {
        return await bot.remove(chat, message, AbortSignal.any([limit, ended]))
      } catch (error) {
        if (!limit.aborted && error instanceof CordonError && error.code === 'channels.refused')
          return false
        void bot.remove(chat, message, ended).catch(() => false)
        throw error
      }
    } catch (error) {
      this.#deps.log.warn('A message in Telegram could not be deleted now', { error })
      return false
    }
  }
}
