/** The row of a run after the work on it has ended, by the outcome of that work. */
import type { RunOutcome } from './flow-runtime.ts'
import type { SettledAs } from './run-log.ts'

export function settledAs(outcome: RunOutcome): SettledAs {
  if (outcome.kind === 'completed') {
    return { state: 'completed', outcome: JSON.stringify(outcome.output) }
  }
  if (outcome.kind === 'failed') {
    return { state: 'failed', outcome: JSON.stringify(outcome.problem) }
  }
  if (outcome.kind === 'unserved') return { state: 'open', delayMs: 0, lacks: outcome.lacks }
  return { state: 'open', delayMs: outcome.delayMs }
}
