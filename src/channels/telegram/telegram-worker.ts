/**
 * Keeps the bot at work: waits for the vault, connects, reads messages, puts questions, tells notices; and once more
 * when one of these ends. The token is lent for as long as the bot works.
 */
import type { ChannelView } from '../../api/channels.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Outlet } from '../../ports/setup-port.ts'
import { Changes } from '../../text/changes.ts'
import { type BotApi, createBotApi } from './bot-api.ts'
import type { HandledUpdates } from './handled-updates.ts'
import type { Pairings } from './pairings.ts'
import { createSender, type Sender } from './sender.ts'
import { TELEGRAM_TOKEN, type TelegramDeps, type TelegramServing } from './telegram-deps.ts'
import { tellNotices } from './tell-notices.ts'
import { unreachable } from './telegram-errors.ts'
import { openTelegramQuestions } from './telegram-questions.ts'
import { runTelegramSession } from './telegram-session.ts'

export interface WorkerDeps extends TelegramDeps, TelegramServing {
  readonly pairings: Pairings
  readonly handled: HandledUpdates
  readonly remove: Outlet['remove']
}

interface Working {
  readonly bot: BotApi
  readonly sender: Sender
  /** Aborts when the bot is stopped. */
  readonly ended: AbortSignal
}

type Health = Pick<ChannelView, 'state' | 'reason' | 'hint'>

const LOCKED_MS = 2000
const RETRY_MS = 30_000

export class TelegramWorker implements AsyncDisposable {
  readonly #deps: WorkerDeps
  readonly #ending = new AbortController()
  readonly #changes = new Changes()
  readonly #done: Promise<void>
  #working: Working | undefined
  #problem: CordonError | undefined

  constructor(deps: WorkerDeps) {
    this.#deps = deps
    this.#done = this.#run(this.#ending.signal)
  }

  get problem(): CordonError | undefined {
    return this.#problem
  }

  get health(): Health {
    const problem = this.#problem
    if (!problem) return { state: this.#working ? 'on' : 'starting' }
    return { state: 'waiting', reason: problem.message, hint: problem.hint }
  }

  /** The bot at work, as soon as it is; undefined when `signal` aborts. */
  async connected(signal: AbortSignal): Promise<Working | undefined> {
    await this.#changes.until(
      () => this.#working !== undefined,
      AbortSignal.any([signal, this.#ending.signal]),
    )
    return this.#working
  }

  /** As `connected`, and Telegram answered the last request. Throws the reason when `signal` aborts before. */
  async reachable(signal: AbortSignal): Promise<Working> {
    const isUp = (): boolean => this.#working !== undefined && this.#problem === undefined
    await this.#changes.until(isUp, AbortSignal.any([signal, this.#ending.signal]))
    if (this.#working && !this.#problem) return this.#working
    throw this.#problem ?? unreachable('the bot is not at work')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await this.#done
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { log, place } = this.#deps
    while (!signal.aborted) {
      let pauseMs = RETRY_MS
      try {
        const status = await this.#deps.vault.status()
        if (status.state === 'unlocked') await this.#work(signal)
        else {
          this.#trouble(locked())
          pauseMs = LOCKED_MS
        }
      } catch (error) {
        if (signal.aborted) return
        log.warn('The Telegram channel does not work at the moment', { error })
        if (error instanceof CordonError) this.#trouble(error)
        if (error instanceof CordonError && error.code === 'channels.unreachable')
          pauseMs = LOCKED_MS
      }
      await place.sleep(pauseMs, signal).catch(() => undefined)
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { vault, owner, place, redactor } = this.#deps
    await using stack = new AsyncDisposableStack()
    const refs = { token: { scheme: 'vault', name: TELEGRAM_TOKEN } } as const
    const lease = stack.use(await vault.lease(owner, refs, signal))
    const bot = createBotApi(lease.value('token').toString(), place)
    const me = await bot.me(signal)
    const sender = createSender({ bot, redactor })
    const ended = new AbortController()
    stack.defer(() => {
      this.#working = undefined
    })
    const over = AbortSignal.any([signal, ended.signal])
    this.#working = { bot, sender, ended: over }
    this.#trouble(undefined)
    const isUp = (): boolean => this.#problem === undefined
    const onHealth = (problem: CordonError | undefined): void => this.#trouble(problem)
    const running = new Map<string, string>()
    const asking = new Set<string>()
    const deps = { ...this.#deps, ...place, bot, me, sender, running, asking, isUp, onHealth }
    const questions = await openTelegramQuestions(deps)
    const all = [
      runTelegramSession({ ...deps, questions }, over),
      questions.follow(over),
      tellNotices(deps, over),
    ]
    stack.defer(async () => void (await Promise.allSettled(all)))
    stack.defer(() => ended.abort())
    // The first that fails ends all: they are begun again together.
    await Promise.race(all)
  }

  #trouble(problem: CordonError | undefined): void {
    this.#problem = problem
    this.#changes.announce()
  }
}

function locked(): CordonError {
  return new CordonError(
    'channels.locked',
    { exit: 4, hint: 'Run `cordon vault unlock`' },
    'Cannot use Telegram: the token of the bot lies in the vault, which is locked',
  )
}
