/** Sentences that the owner taught: `when I say standup, run morning-digest`. On disk, and at hand for the planner. */
import type { TaughtSentence } from './plan-port.ts'
import type { Notes } from '../kernel/ports.ts'

const NOTE = 'taught'
const MOST = 200
const LONGEST = 200

export interface TaughtSentences {
  list(): readonly TaughtSentence[]
  /** A sentence that was taught before means the new flow from now on. False: there are too many. */
  teach(sentence: string, flow: string): Promise<boolean>
  /** False if it was not taught. */
  forget(sentence: string): Promise<boolean>
}

export async function openTaughtSentences(notes: Notes): Promise<TaughtSentences> {
  const rows = await notes.list(NOTE)
  const taught = new Map(rows.map(({ id, content }) => [id, content]))
  return {
    list: () => [...taught].map(([sentence, flow]) => ({ sentence, flow })),
    async teach(sentence, flow) {
      const key = folded(sentence)
      if (key === '' || key.length > LONGEST || (taught.size >= MOST && !taught.has(key)))
        return false
      await notes.put(NOTE, key, flow)
      taught.set(key, flow)
      return true
    },
    async forget(sentence) {
      const key = folded(sentence)
      if (!taught.has(key)) return false
      await notes.remove(NOTE, key)
      return taught.delete(key)
    },
  }
}

function folded(sentence: string): string {
  return sentence
    .toLowerCase()
    .replace(/["'“”‘’]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

const TEACH =
  /^(?:when|whenever|if) i say ["'“]?(.+?)["'”]?,? (?:then )?(?:run|do|start)(?: the)?(?: flow)? ([a-z0-9][\w-]{0,63})[.!]?$/i
const FORGET = /^(?:forget|unlearn) what ["'“]?(.+?)["'”]? means[.!]?$/i

export type TeachingWords =
  | { readonly kind: 'teach'; readonly sentence: string; readonly flow: string }
  | { readonly kind: 'forget'; readonly sentence: string }

export function teachingWords(words: string): TeachingWords | undefined {
  const [, sentence, flow] = TEACH.exec(words) ?? []
  if (sentence !== undefined && flow !== undefined) {
    return { kind: 'teach', sentence, flow: flow.toLowerCase() }
  }
  const forgotten = FORGET.exec(words)?.[1]
  return forgotten === undefined ? undefined : { kind: 'forget', sentence: forgotten }
}
