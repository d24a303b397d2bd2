/**
 * The rounds of one request as one plan, so that it can be saved: the steps that worked, in order. A result that a later
 * round took by its handle becomes the result of the step it came from. Pure.
 */
import type { Plan, PlannedStep, PlannedValue, PlanRound } from './plan-port.ts'
import { mapRecord } from '../text/map-record.ts'
import { mapValue } from './plan-flow.ts'

/** Undefined if a step needs the result of one that did not work. */
export function mergeRounds(rounds: readonly PlanRound[]): Plan | undefined {
  const steps: PlannedStep[] = []
  const byHandle = new Map<string, number>()
  for (const round of rounds) {
    /** The new positions of the steps of this round. */
    const moved = new Map<number, number>()
    for (const [at, { tool, args, outcome, result }] of round.steps.entries()) {
      if (outcome !== 'worked') continue
      const own = mapRecord(args, (value) =>
        mapValue(value, (part) => placed(part, moved, byHandle)),
      )
      if (Object.values(own).some(isLost)) return undefined
      moved.set(at, steps.length)
      if (result !== undefined) byHandle.set(result, steps.length)
      steps.push({ tool, args: own })
    }
  }
  return steps.length > 0 ? { steps } : undefined
}

const LOST = -1

function placed(
  part: PlannedValue,
  moved: ReadonlyMap<number, number>,
  byHandle: ReadonlyMap<string, number>,
): PlannedValue {
  if (part.kind === 'step') return { ...part, step: moved.get(part.step) ?? LOST }
  const step = part.kind === 'handle' ? byHandle.get(part.name) : undefined
  if (part.kind !== 'handle' || step === undefined) return part
  return { kind: 'step', step, ...(part.path && { path: part.path }) }
}

function isLost(value: PlannedValue): boolean {
  if (value.kind === 'list') return value.items.some(isLost)
  if (value.kind === 'object') return Object.values(value.members).some(isLost)
  return value.kind === 'step' && value.step === LOST
}
