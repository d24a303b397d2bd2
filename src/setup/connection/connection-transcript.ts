/**
 * Delivers the messages of a connection. An answer goes to the caller that asked, a message during a wait to the first
 * caller that waits, and every other message to the chat. All are kept, since a terminal or a page may show them
 * later.
 */
import type { Log } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { Outlet } from '../../ports/setup-port.ts'
import { inChatWords } from '../../text/in-chat-words.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'

interface TranscriptDeps {
  readonly outlet: Pick<Outlet, 'say'>
  readonly log: Log
}

/** The person to write to in a chat. */
export interface ChatPlace {
  readonly principal: PrincipalId
  readonly isRemote: boolean
}

export class ConnectionTranscript {
  readonly said: string[] = []
  readonly #deps: TranscriptDeps
  readonly #listeners: string[][] = []
  readonly #serially = createSerialQueue()
  #asked: string[] | undefined

  constructor(deps: TranscriptDeps) {
    this.#deps = deps
  }

  /** In a chat, hints name what can be typed there. */
  say(message: string, chat: ChatPlace | undefined): void {
    const text = chat === undefined ? message : inChatWords(message)
    this.said.push(text)
    const listener = this.#asked ?? this.#listeners[0]
    if (listener) listener.push(text)
    else this.send([text], chat)
  }

  send(texts: readonly string[], chat: ChatPlace | undefined): void {
    if (chat === undefined) return
    const { principal, isRemote } = chat
    for (const text of texts) {
      this.#serially(() => this.#deps.outlet.say(principal, text, isRemote)).catch(
        (error: unknown) => {
          this.#deps.log.warn('A person could not be told about a connection', { error })
        },
      )
    }
  }

  /** Messages during `work` go to `listener` as its answer, if there is one. */
  async answer<T>(listener: string[] | undefined, work: () => Promise<T>): Promise<T> {
    this.#asked = listener
    try {
      return await work()
    } finally {
      this.#asked = undefined
    }
  }

  /** Messages while `work` lasts go to `listener`, unless they answer another caller. */
  async listen<T>(listener: string[], work: () => Promise<T>): Promise<T> {
    this.#listeners.push(listener)
    try {
      return await work()
    } finally {
      this.#listeners.splice(this.#listeners.indexOf(listener), 1)
    }
  }
}
