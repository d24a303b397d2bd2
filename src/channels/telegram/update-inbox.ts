/**
 * Updates between their arrival and the moment at which they are begun. Telegram forgets an update as soon as a later
 * one is asked for, so the offset stays at the oldest that was not begun: a crash loses none, and no text is on disk.
 */
import type { Update } from 'grammy/types'

export interface UpdateInbox {
  /** The updates that are new, by their number. Sets them down as waiting. */
  take(updates: readonly Update[]): readonly Update[]
  /** The update was begun, or is none of ours. */
  release(update: number): void
  /** The update could not be begun: Telegram sends it once more. */
  giveBack(update: number): void
  /** The number of the next update to ask Telegram for; undefined before the first update. */
  readonly offset: number | undefined
}

export function createUpdateInbox(isHandled: (update: number) => boolean): UpdateInbox {
  const waiting = new Set<number>()
  const returned = new Set<number>()
  let next: number | undefined
  return {
    take(updates) {
      const ids = updates.map(({ update_id: id }) => id)
      // After a week without updates Telegram starts at any number, which may be lower than the last.
      if (ids.length > 0) next = Math.max(...ids) + 1
      const news = updates.filter(
        ({ update_id: id }, at) => !waiting.has(id) && !isHandled(id) && ids.indexOf(id) === at,
      )
      for (const { update_id: id } of news) {
        waiting.add(id)
        returned.delete(id)
      }
      return news.toSorted((a, b) => a.update_id - b.update_id)
    },
    release(update) {
      waiting.delete(update)
    },
    giveBack(update) {
      waiting.delete(update)
      returned.add(update)
    },
    get offset() {
      const kept = [...waiting, ...returned]
      return kept.length > 0 ? Math.min(...kept) : next
    },
  }
}
