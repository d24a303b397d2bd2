/**
 * Who hears what a flow says. An answer goes to whoever asked, what is said while somebody waits goes to the first who
 * does, and everything else out into the chat; all of it is kept, since a terminal or a page may look at it later.
 */
import type { Log } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { Outlet } from '../../kernel/setup-port.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'

interface VoiceDeps {
  readonly outlet: Pick<Outlet, 'say'>
  readonly log: Log
}

export class ConnectionTranscript {
  readonly said: string[] = []
  readonly #deps: VoiceDeps
  readonly #listeners: string[][] = []
  readonly #serially = createSerialQueue()
  #asked: string[] | undefined

  constructor(deps: VoiceDeps) {
    this.#deps = deps
  }

  /** `chat`: who is spoken to there; undefined where nobody is. */
  say(text: string, chat: PrincipalId | undefined): void {
    this.said.push(text)
    const listener = this.#asked ?? this.#listeners[0]
    if (listener) listener.push(text)
    else this.send([text], chat)
  }

  send(texts: readonly string[], chat: PrincipalId | undefined): void {
    if (chat === undefined) return
    for (const text of texts) {
      this.#serially(() => this.#deps.outlet.say(chat, text)).catch((error: unknown) => {
        this.#deps.log.warn('A person could not be told about a connect flow', { error })
      })
    }
  }

  /** What is said during `work` is an answer to `listener`, if there is one. */
  async answer<T>(listener: string[] | undefined, work: () => Promise<T>): Promise<T> {
    this.#asked = listener
    try {
      return await work()
    } finally {
      this.#asked = undefined
    }
  }

  /** Lets `listener` hear whatever is said while `work` lasts. */
  async listen<T>(listener: string[], work: () => Promise<T>): Promise<T> {
    this.#listeners.push(listener)
    try {
      return await work()
    } finally {
      this.#listeners.splice(this.#listeners.indexOf(listener), 1)
    }
  }
}
