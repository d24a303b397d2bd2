/**
 * Follows turns over the API. A turn that waits for the owner is followed until its question; what comes after an answer
 * that was given elsewhere is told as news.
 */
import type { Api } from './contract.ts'
import { pausePoll } from './long-poll.ts'
import { plainText, type ShownText, TurnLines } from './show-turn.ts'

type TurnsApi = Api<'chat.follow' | 'chat.cancel'>

interface Followed {
  readonly turn: string
  readonly lines: TurnLines
  seen: number
}

export class ChatTurns {
  readonly #api: TurnsApi
  /** The turn that waits for the owner. */
  #waiting: Followed | undefined

  constructor(api: TurnsApi) {
    this.#api = api
  }

  /**
   * Until the turn is over, or asks the owner. A turn that is given up meanwhile is cancelled. `isStreamed`: pieces of the
   * answer are shown as they come.
   */
  async *follow(turn: string, signal: AbortSignal, isStreamed: boolean): AsyncGenerator<ShownText> {
    const known = this.#waiting?.turn === turn ? this.#waiting : undefined
    const followed = known ?? { turn, lines: new TurnLines(), seen: 0 }
    try {
      yield* this.#rest(followed, signal, isStreamed)
    } finally {
      if (signal.aborted) await this.#api.call('chat.cancel', { turn }).catch(() => undefined)
    }
  }

  /** The further events of the turn that waits, while the person types. */
  async *news(signal: AbortSignal): AsyncGenerator<string> {
    if (!this.#waiting) return
    for await (const text of this.#rest(this.#waiting, signal, false)) yield plainText(text)
  }

  async *#rest(
    followed: Followed,
    signal: AbortSignal,
    isStreamed: boolean,
  ): AsyncGenerator<ShownText> {
    const { turn, lines } = followed
    for (;;) {
      const { events, isOver } = await this.#api.call(
        'chat.follow',
        { turn, after: followed.seen },
        signal,
      )
      for (const event of events) {
        yield* lines.show(event, isStreamed)
        followed.seen = event.number // after the yield: a text that was not shown is sent again
        const isAsking = event.kind === 'approval' || event.kind === 'question'
        this.#waiting = isAsking ? followed : undefined
        if (isAsking) return
      }
      if (isOver) return
      if (events.length === 0) await pausePoll(signal)
    }
  }
}
