/** The row of a run after the work on it has ended, by the outcome of that work. */
import type { RunOutcome } from './flow-runtime.ts'
import type { SettledAs } from './run-log.ts'

/** A run with a need that was not met is not claimed again by the same kernel before this time has passed. */
export const UNMET_MS = 15_000

/** `needs`: those that are stored with the run, by which a claim can leave it alone. */
export function settledAs(outcome: RunOutcome, needs: readonly string[]): SettledAs {
  if (outcome.kind === 'completed') {
    return { state: 'completed', outcome: JSON.stringify(outcome.output) }
  }
  if (outcome.kind === 'failed') {
    return { state: 'failed', outcome: JSON.stringify(outcome.problem) }
  }
  if (outcome.kind === 'unserved') {
    // Given back at once, the same kernel would claim a run that no stored need tells apart again and again.
    const delayMs = needs.includes(outcome.need) ? 0 : UNMET_MS
    return { state: 'open', delayMs, lacks: outcome.lacks }
  }
  return { state: 'open', delayMs: outcome.delayMs }
}
