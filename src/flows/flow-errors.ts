/** Errors of this room. Values of a flow may be untrusted, so a message quotes only names, cut short. */
import { CordonError } from '../kernel/error.ts'
import { seenLine } from '../text/untrusted-text.ts'

const MAX_SHOWN = 80

export function flowError(code: `flows.${string}`, message: string, hint: string): CordonError {
  return new CordonError(code, { exit: 2, hint }, message)
}

/** Quotes a name or a reference of a flow for a message: on one line, cut short. */
export function shown(text: string): string {
  return JSON.stringify(seenLine(text, MAX_SHOWN))
}
