/** How this room says no. Values of a flow may be anybody's words, so a message shows names only, and short. */
import { CordonError } from '../kernel/error.ts'
import { seenLine } from '../text/untrusted-text.ts'

const MAX_SHOWN = 80

export function flowError(code: `flows.${string}`, message: string, hint: string): CordonError {
  return new CordonError(code, { exit: 2, hint }, message)
}

/** A name or a reference out of a flow, for a sentence. */
export function shown(text: string): string {
  return JSON.stringify(seenLine(text, MAX_SHOWN))
}
