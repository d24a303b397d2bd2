/** An error, warning or note about a flow, as data, so that a terminal, a page and a planner can each present it. */
import { shown } from '../flow-errors.ts'

export interface Finding {
  /** Only an error prevents a run; a note reports an automatic decision. */
  readonly severity: 'error' | 'warning' | 'note'
  /** Stable: `reference.unknown`. */
  readonly code: string
  readonly message: string
  /** The path in the IR: `nodes[2].params.query`. */
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

/** A "did you mean" hint with the similar names, or `otherwise` if there are none. */
export function didYouMean(names: readonly string[], otherwise: string): string {
  return names.length === 0 ? otherwise : `Did you mean ${names.map(shown).join(' or ')}?`
}
