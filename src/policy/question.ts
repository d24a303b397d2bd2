/** Everything that a decision depends on, gathered beforehand: the decision itself looks at nothing else. */
import { remembered } from '../text/remembered.ts'
import type { Acquaintance } from '../ports/contact-port.ts'
import { isRead } from '../kernel/effect.ts'
import type { Grant } from '../kernel/grant.ts'
import { isTrusted, type Label } from '../labels/label.ts'
import { isHeldBy } from '../labels/via-origin.ts'
import type { BoundedStep } from '../kernel/plan-bounds.ts'
import type { PrincipalKind } from '../kernel/principal.ts'
import type { Task } from '../kernel/tool-call.ts'
import type { Role, ToolFacts } from '../kernel/tool-facts.ts'
import { type Choice, isChoice, MOST_BITS } from './with-budget.ts'

export interface Argument {
  readonly name: string
  readonly role: Role
  readonly label: Label
  /** The owner allowed this very value in this argument of this server, for this task. */
  readonly isEndorsed: boolean
  /** The value, if it is a number; for the cap of a grant. */
  readonly amount?: number
  /** The value is the address of a contact, or several of them. */
  readonly acquaintance?: Acquaintance
  /** The value is a mail address, a telephone number or an account, or a list of them. */
  readonly isAddress?: true
  /** Of a boolean or an enum; absent: as much as the label says. */
  readonly choice?: Choice
  /** A boolean or an enum that the task's budget of bits does not cover. */
  readonly isUncovered?: boolean
  /** Directives in the untrusted text that the receiver would obey, each in the host's words. */
  readonly acts?: readonly string[]
}

export interface Question {
  readonly principal: PrincipalKind
  readonly facts: ToolFacts
  readonly args: readonly Argument[]
  readonly task: Task
  /** Of this tool as it is now, with uses left, not expired. */
  readonly grants: readonly Grant[]
  /** The owner approved the plan of this task, and the call is within its bounds. */
  readonly plan?: PlanPermit
}

export interface PlanPermit {
  readonly approval: string
  readonly step: BoundedStep
}

/**
 * Whether an argument that the owner did not write steers the call. A boolean, or a choice among a few of the owner's own
 * values, brings no new text and steers nothing while the budget covers it.
 */
export function isSteered(argument: Argument, facts: ToolFacts): boolean {
  const { label, role, isEndorsed, acquaintance, isUncovered = false } = argument
  // The owner named the person, and the contact book holds the address: their words chose it, whoever wrote it down.
  if (role === 'content' || isEndorsed || acquaintance === 'named') return false
  return isUncovered || !saysNothingNew(label, facts) || isIdOfAnother(label, facts)
}

/** An id is the server's own only where it goes back to that server; elsewhere it is a target that others chose. */
function isIdOfAnother(label: Label, { effect, id }: ToolFacts): boolean {
  if (label.integrity === 'user' || isRead(effect)) return false
  return foreignOrigins(label, id.server).length > 0
}

function saysNothingNew(label: Label, { id }: ToolFacts): boolean {
  return isTrusted(label) || isChoice(label.bound, id.server)
}

/** The origins of a value other than the server it goes to; data that the server gave back counts as its own. */
export function foreignOrigins(
  { origins }: Pick<Label, 'origins'>,
  server: string,
): readonly string[] {
  return origins.size === 0 ? [] : [...origins].filter((origin) => !isHeldBy(origin, server))
}

/** Whether the plan is trusted, and untrusted data decided at most a few bits about running this step. */
export function isPlanTrusted(question: Question): boolean {
  const { task, args, facts } = question
  if (!isTrusted({ integrity: task.plan }) || timesChosen(question) !== undefined) return false
  if (isTrusted(task.control)) return true
  // If every argument is fixed, the choice to run the step leaks one bit; a few bits are no message.
  return task.control.bits <= MOST_BITS && args.every(({ label }) => saysNothingNew(label, facts))
}

/**
 * How often the step runs, if untrusted data decided that and the step is no read. No number of bits makes it trusted:
 * a loop over a list of thirty is five bits, and thirty payments.
 */
export function timesChosen({ task, facts }: Question): number | undefined {
  const { times, mostTimes } = task.control
  return isRead(facts.effect) ? undefined : (times ?? mostTimes)
}

/**
 * Whether the tool passes its content on: to people that an argument names, or to an address outside the server. A mail
 * that is forwarded through the same mail server does not go back to where it came from.
 */
export function passesOn({ facts, args }: Pick<Question, 'facts' | 'args'>): boolean {
  for (const [name, role] of facts.roles) if (role === 'locator' || isRecipient(name)) return true
  return args.some(({ name, role }) => role === 'locator' || isRecipient(name))
}

const RECIPIENTS: ReadonlySet<string> = new Set(
  `to cc bcc recipient channel chat conversation room dm audience segment broadcast attendee participant invitee guest
   subscriber user`.split(/\s+/),
)

/** By the words of the name: `channel_id`, `chatId`, `recipients`. */
const isRecipient = remembered((name) => {
  const words = name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
  return words.some((word, at) => {
    const one = word.toLowerCase().replace(/s$/, '')
    // `to` is a recipient by itself only: not in `reply_to_id` or `move_to`.
    return RECIPIENTS.has(one) && (one !== 'to' || (at === 0 && words.length === 1))
  })
})
