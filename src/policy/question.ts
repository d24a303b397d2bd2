/** Everything that a decision depends on, gathered beforehand: the decision itself looks at nothing else. */
import type { Grant } from '../kernel/grant.ts'
import { isTrusted, type Label } from '../labels/label.ts'
import type { PrincipalKind } from '../kernel/principal.ts'
import type { Task } from '../kernel/tool-call.ts'
import type { Role, ToolFacts } from '../kernel/tool-facts.ts'

export interface Argument {
  readonly name: string
  readonly role: Role
  readonly label: Label
  /** The owner allowed this very value for this task. */
  readonly isEndorsed: boolean
  /** Where it is one; for a cap. */
  readonly amount?: number
}

export interface Question {
  readonly principal: PrincipalKind
  readonly facts: ToolFacts
  readonly args: readonly Argument[]
  readonly task: Task
  /** Of this tool as it is now, with uses left, not expired. */
  readonly grants: readonly Grant[]
}

/** Where untrusted words steer what happens. One bit, or one of the owner's own words, steers nothing new. */
export function isSteered({ label, role, isEndorsed }: Argument): boolean {
  return role !== 'content' && !isEndorsed && !saysNothingNew(label)
}

function saysNothingNew(label: Label): boolean {
  const kind = label.bound?.kind
  return isTrusted(label) || kind === 'bool' || kind === 'enum'
}

/** The origins of a value other than the server it goes to. */
export function foreignOrigins({ origins }: Label, server: string): readonly string[] {
  return origins.size === 0 ? [] : [...origins].filter((origin) => origin !== server)
}

/** Whether the plan, and what decided that this step runs, leave nothing to others. */
export function isPlanTrusted({ task, args }: Question): boolean {
  if (!isTrusted({ integrity: task.plan })) return false
  if (isTrusted(task.control)) return true
  // Whether a step runs that is fixed in every word says one bit, and a few of those are no message.
  return task.control.bits <= MOST_BITS && args.every(({ label }) => saysNothingNew(label))
}

const MOST_BITS = 4
