/**
 * Says why the plan of a stored run cannot be used: it was damaged, or a newer Cordon wrote it. Such a run is shown and
 * can be cancelled, and holds up no other. Pure.
 */
import type { Problem } from '../../text/problem.ts'

/** The version of the plans that this Cordon writes and reads. */
const PLAN_VERSION = 1

export const DAMAGED: Problem = {
  code: 'flows.unreadable-run',
  message: 'Cannot read the run: its record is damaged',
  hint: 'Start the flow again; other runs are not affected',
}

const NEWER: Problem = {
  code: 'flows.newer-run',
  message: 'Cannot go on with the run: a newer Cordon started it',
  hint: 'Update Cordon, then run `cordon flow resume RUN --retry`',
}

export function unreadablePlan(stored: unknown): Problem | undefined {
  const { version, flow, options, ir, nodes } = membersOf(stored)
  if (typeof version === 'number' && version > PLAN_VERSION) return NEWER
  const parts = [membersOf(options)['principal'], ir, nodes]
  const isWhole = typeof flow === 'string' && parts.every((part) => membersOf(part) === part)
  return version === PLAN_VERSION && isWhole ? undefined : DAMAGED
}

/** The object itself; an empty one in the place of anything else. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Readonly<Record<string, unknown>>) : {}
}
