/**
 * The budget of untrusted bits that a task has without a question. Guards, loop counts, booleans and enums share it:
 * four separate budgets of four bits would be a message of sixteen. It bounds what an attacker can say, and makes
 * nothing trusted.
 */
import type { Json } from '../text/json.ts'
import { type Bound, bitsOf, FREE_BITS, isTrusted } from '../labels/label.ts'
import type { LabelTree } from '../labels/label-tree.ts'
import { untrustedLeaves } from '../labels/untrusted-leaves.ts'
import { isExposing } from './is-exposing.ts'
import type { Argument, Question } from './question.ts'

export const MOST_BITS = 4

export interface Choice {
  /** The most that all untrusted leaves of the argument can say. */
  readonly bits: number
  /** One of them stands under a name that exposes: `options.public`. */
  readonly isExposing: boolean
}

/** The choice that the untrusted leaves of an argument make together, if its joined label is a boolean or an enum. */
export function choiceIn(name: string, value: Json, tree: LabelTree): Choice {
  let bits = 0
  let exposes = isExposing(name)
  for (const { label, names } of untrustedLeaves(value, tree)) {
    bits = Math.min(FREE_BITS, bits + bitsOf(label.bound))
    exposes ||= names.some(isExposing)
    if (bits === FREE_BITS) break
  }
  return { bits, isExposing: exposes }
}

/** Marks the untrusted choices among the arguments that the budget does not cover: they steer like any other text. */
export function withBudget(question: Question): Question {
  const { args, task, facts } = question
  const isChoosing = (arg: Argument): boolean => isSteeringChoice(arg, facts.id.server)
  if (!args.some(isChoosing)) return question
  const choices = new Map(args.filter(isChoosing).map((arg) => [arg, arg.choice ?? choiceOf(arg)]))
  // The caller counts values that were used before; this call alone counts here too, whoever the caller is.
  const own = [...choices.values()].reduce((sum, { bits }) => sum + bits, 0)
  const isOver = Math.max(task.control.bits, own) > MOST_BITS
  const budgeted = args.map((arg): Argument => {
    const choice = choices.get(arg)
    return choice && (isOver || choice.isExposing) ? { ...arg, isUncovered: true } : arg
  })
  return { ...question, args: budgeted }
}

function choiceOf({ name, label }: Argument): Choice {
  return { bits: bitsOf(label.bound), isExposing: isExposing(name) }
}

function isSteeringChoice({ label, role, isEndorsed }: Argument, server: string): boolean {
  return role !== 'content' && !isEndorsed && !isTrusted(label) && isChoice(label.bound, server)
}

/**
 * Whether a value with this bound brings no new text to the server: a boolean, one of the owner's own values, or the
 * one id of that server that came about because something was chosen.
 */
export function isChoice(bound: Bound | undefined, server: string): boolean {
  if (bound?.kind === 'member') return bound.of === server && bound.size === 1
  return bound?.kind === 'bool' || bound?.kind === 'enum'
}
