/**
 * Reads the updates of a bot by long polling until it is aborted. While Telegram cannot be reached it tries again, at
 * longer and longer intervals; only a token that is no longer good ends it.
 */
import type { Update } from 'grammy/types'
import { CordonError } from '../../kernel/error.ts'
import { type BotApi, type BotPlace, pauseFor } from './bot-api.ts'
import type { UpdateInbox } from './update-inbox.ts'

const WAIT_SECONDS = 25
/** While updates wait for their turn, Telegram sends them again with every answer, and at once. */
const PAUSE_MS = 1000

interface PollDeps {
  readonly bot: Pick<BotApi, 'updates'>
  readonly inbox: UpdateInbox
  readonly sleep: BotPlace['sleep']
  readonly onUpdate: (update: Update) => void
  /** Undefined: Telegram answered. */
  readonly onHealth: (error: CordonError | undefined) => void
}

export async function pollUpdates(deps: PollDeps, signal: AbortSignal): Promise<void> {
  const { bot, inbox, sleep, onUpdate, onHealth } = deps
  for (let failures = 0; !signal.aborted; ) {
    try {
      const updates = await bot.updates(inbox.offset, WAIT_SECONDS, signal)
      failures = 0
      onHealth(undefined)
      const news = inbox.take(updates)
      for (const update of news) onUpdate(update)
      if (updates.length > 0 && news.length === 0) await sleep(PAUSE_MS, signal)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof CordonError)) throw error
      onHealth(error)
      if (error.code === 'channels.bad-token') throw error
      await sleep(pauseFor(failures), signal)
      failures += 1
    }
  }
}
