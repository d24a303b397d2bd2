/**
 * The grounds of a decision as one short text for the audit log: the labels and roles of the arguments, the plan, the
 * control, the clearance. Never a value. With them the decision can be made again under another policy.
 */
import { EFFECTS } from '../../kernel/effect.ts'
import { BOUNDS, INTEGRITIES, type Label, LEVELS } from '../../labels/label.ts'
import type { CallRequest } from '../../kernel/tool-call.ts'
import { ROLES, type ToolFacts } from '../../kernel/tool-facts.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import type { Argument, Question } from '../question.ts'

const VERSION = '1'

export function spellGrounds({ args, task }: CallRequest, facts: ToolFacts): string {
  const { clearance, roles } = facts
  const { plan, control } = task
  let text = `${VERSION}|${plan}|${control.integrity}:${control.bits}|${clearance.own}:${clearance.others}`
  for (const name in args) {
    const { label } = args[name] as (typeof args)[string]
    text += `|${encodeURIComponent(name.toWellFormed())}:${roles.get(name) ?? 'target'}:${spellLabel(label)}`
  }
  return text
}

/** Most values of a task share a few labels. */
const spelled = new WeakMap<Label, string>()

function spellLabel(label: Label): string {
  const known = spelled.get(label)
  if (known !== undefined) return known
  const { integrity, level, origins, bound } = label
  const of = bound?.of === undefined ? '' : `@${encodeURIComponent(bound.of)}`
  const names = [...origins].map((one) => encodeURIComponent(one)).join('+')
  const text = `${integrity}:${level}:${names}:${bound ? bound.kind + of : ''}`
  spelled.set(label, text)
  return text
}

/** Undefined for a text that cannot be read, such as one of another version. */
export function readGrounds(
  text: string,
  tool: ToolId,
  effect: string,
): Omit<Question, 'grants'> | undefined {
  try {
    return read(text, tool, effect)
  } catch (error) {
    if (error instanceof Unreadable || error instanceof URIError) return undefined
    throw error
  }
}

function read(text: string, tool: ToolId, effect: string): Omit<Question, 'grants'> {
  const [version, plan, control = '', clearance = '', ...rest] = text.split('|')
  const [integrity, bits] = control.split(':')
  const [own, others] = clearance.split(':')
  if (version !== VERSION) throw new Unreadable()
  const args = rest.map(readArgument)
  return {
    principal: 'owner',
    facts: {
      id: tool,
      serverName: tool.server,
      effect: oneOf(EFFECTS, effect),
      roles: new Map(args.map(({ name, role }) => [name, role])),
      clearance: { own: oneOf(LEVELS, own), others: oneOf(LEVELS, others) },
      hash: '',
      serverPin: '',
      isVouchedFor: false,
    },
    args,
    task: {
      id: '',
      step: '',
      plan: oneOf(INTEGRITIES, plan),
      control: { integrity: oneOf(INTEGRITIES, integrity), bits: Number(bits) || 0 },
      callsBefore: 0,
    },
  }
}

function readArgument(text: string): Argument {
  const [name = '', role, integrity, level, origins = '', bound = ''] = text.split(':')
  const [kind, of] = bound.split('@')
  const label: Label = {
    integrity: oneOf(INTEGRITIES, integrity),
    level: oneOf(LEVELS, level),
    origins: new Set(origins === '' ? [] : origins.split('+').map(decodeURIComponent)),
    ...(bound !== '' && {
      bound: { kind: oneOf(BOUNDS, kind), ...(of !== undefined && { of: decodeURIComponent(of) }) },
    }),
  }
  return { name: decodeURIComponent(name), role: oneOf(ROLES, role), label, isEndorsed: false }
}

class Unreadable extends Error {}

function oneOf<T extends string>(all: readonly T[], text: string | undefined): T {
  const found = all.find((one) => one === text)
  if (found === undefined) throw new Unreadable()
  return found
}
