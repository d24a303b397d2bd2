/** What is wrong with a flow, or odd about it: data, so that a terminal, a page and a planner can each make something of it. */
import { shown } from '../flow-errors.ts'

export interface Finding {
  /** Only an error keeps a flow from running; a note says what was decided for its author. */
  readonly severity: 'error' | 'warning' | 'note'
  /** Stable: `reference.unknown`. */
  readonly code: string
  readonly message: string
  /** Where in the flow: `nodes[2].params.query`. */
  readonly place: string
  readonly hint: string
}

export function errorAt(place: string, code: string, message: string, hint: string): Finding {
  return { severity: 'error', code, message, place, hint }
}

export function warningAt(place: string, code: string, message: string, hint: string): Finding {
  return { severity: 'warning', code, message, place, hint }
}

export function noteAt(place: string, code: string, message: string, hint: string): Finding {
  return { severity: 'note', code, message, place, hint }
}

/** "Did you mean": the names as one sentence, or what to do where there are none. */
export function didYouMean(names: readonly string[], otherwise: string): string {
  return names.length === 0 ? otherwise : `Did you mean ${names.map(shown).join(' or ')}?`
}
