/** The last that servers said about the progress of calls somebody follows. In memory, and only while a call runs. */
import { NamedChanges } from './changes.ts'

/** As a server counts its own steps. */
export interface ProgressNumbers {
  readonly progress: number
  readonly total?: number
}

type Tell = (text: string, numbers?: ProgressNumbers) => void

interface Said {
  /** Grows with every word about the call. */
  readonly count: number
  readonly text: string
  /** Called with every word, for a caller that must miss none. */
  readonly tell: Tell | undefined
}

export class CallProgress {
  /** Announces the id of a call that has news: progress, or a question of its server. */
  readonly changes: NamedChanges = new NamedChanges()
  readonly #said = new Map<string, Said>()

  begin(callId: string, tell?: Tell): void {
    this.#said.set(callId, { count: 0, text: '', tell })
  }

  end(callId: string): void {
    this.#said.delete(callId)
  }

  /** Undefined before the first word, and for a call that nobody follows. */
  of(callId: string): Said | undefined {
    const said = this.#said.get(callId)
    return said && said.count > 0 ? said : undefined
  }

  /** Numbers without a word are news for programs alone: `text` is empty then. */
  show(callId: string, text: string, numbers?: ProgressNumbers): void {
    const before = this.#said.get(callId)
    if (!before) return
    if (text !== '') this.#said.set(callId, { ...before, count: before.count + 1, text })
    before.tell?.(text, numbers)
    if (text === '') return
    this.changes.announce(callId)
  }
}
