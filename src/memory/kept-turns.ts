/**
 * The turns of the chat: the owner's words, and the answer with its label. The oldest are dropped beyond a limit.
 * Credentials are hidden before a turn is written.
 */
import type { NewTurn, Turn } from '../ports/memory-port.ts'
import { Labelled } from '../labels/labelled.ts'
import { deliver } from '../labels/sink.ts'
import { restoreTree, storeTree } from '../labels/stored-label.ts'
import type { MemoryDeps, TurnRow } from './memory-deps.ts'
import { OWN_STORE } from './own-store.ts'
import { tidyText } from './tidy-text.ts'

export const MOST_TURNS = 5000
const LONGEST_SAID = 2000
const LONGEST_ANSWER = 8000

export class KeptTurns {
  readonly #deps: MemoryDeps

  constructor(deps: MemoryDeps) {
    this.#deps = deps
  }

  async add({ channel, conversation, said, answer }: NewTurn): Promise<void> {
    const { rows, redactor, now } = this.#deps
    const shown = deliver(answer, OWN_STORE)
    const value = shown.kind === 'shown' ? shown.value : '[not kept]'
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const number = await rows.addTurn({
      channel,
      conversation,
      said: tidyText(said, LONGEST_SAID, redactor),
      answered: tidyText(text, LONGEST_ANSWER, redactor),
      label: JSON.stringify(storeTree({ label: answer.label })),
      at: new Date(now()).toISOString(),
    })
    if (number > MOST_TURNS) await rows.pruneTurns(number - MOST_TURNS)
  }

  async last(limit: number, conversation?: string): Promise<readonly Turn[]> {
    return (await this.#deps.rows.turns(limit, conversation)).map(readTurn)
  }

  /** Newest first. */
  async search(words: string, limit: number): Promise<readonly Turn[]> {
    const wanted = words.toLowerCase().split(/\s+/)
    const all = await this.#deps.rows.turns(MOST_TURNS)
    return all
      .toReversed()
      .filter(({ said, answered }) => {
        const text = `${said}\n${answered}`.toLowerCase()
        return wanted.every((word) => text.includes(word))
      })
      .slice(0, limit)
      .map(readTurn)
  }
}

function readTurn({ number, channel, said, answered, label, at }: TurnRow): Turn {
  const answer = new Labelled(answered, restoreTree(JSON.parse(label)))
  return { number, channel, said, answer, at: Date.parse(at) }
}
