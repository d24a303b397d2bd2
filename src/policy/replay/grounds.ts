/**
 * The grounds of a decision as one short text for the audit log: the labels and roles of the arguments, the plan, the
 * control, the clearance. Never a value. With them the decision can be made again under another policy.
 */
import { EFFECTS } from '../../kernel/effect.ts'
import { type Bound, BOUNDS, INTEGRITIES, type Label, LEVELS } from '../../labels/label.ts'
import type { CallRequest, Control, Task } from '../../kernel/tool-call.ts'
import { ROLES, type ToolFacts } from '../../kernel/tool-facts.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import type { Argument, Question } from '../question.ts'

const VERSION = '1'

export function spellGrounds({ args, task }: CallRequest, facts: ToolFacts): string {
  const { clearance, roles } = facts
  const { control } = task
  let text = `${VERSION}|${spellPlan(task)}|${spellControl(control)}|${clearance.own}:${clearance.others}`
  for (const name in args) {
    const { label } = args[name] as (typeof args)[string]
    text += `|${encodeURIComponent(name.toWellFormed())}:${roles.get(name) ?? 'target'}:${spellLabel(label)}`
  }
  return text
}

type PlanPart = Pick<Task, 'plan' | 'asksForWrites' | 'asksForRead'>

function spellPlan({ plan, asksForWrites, asksForRead }: PlanPart): string {
  return `${plan}${asksForWrites ? ':asks' : ''}${asksForRead ? ':asks-read' : ''}`
}

function readPlan(text: string): PlanPart {
  const [plan, ...asks] = text.split(':')
  return {
    plan: oneOf(INTEGRITIES, plan),
    ...(asks.includes('asks') && { asksForWrites: true }),
    ...(asks.includes('asks-read') && { asksForRead: true }),
  }
}

/** The plan alone decides about most calls, which then have two parts. */
function spellControl({ integrity, bits, level, origins = [], times }: Control): string {
  const plain = `${integrity}:${bits}`
  if (level === undefined && times === undefined) return plain
  return `${plain}:${level ?? ''}:${origins.map(encodeURIComponent).join('+')}:${times ?? ''}`
}

function readControl(text: string): Control {
  const [integrity, bits, level = '', origins = '', times = ''] = text.split(':')
  return {
    integrity: oneOf(INTEGRITIES, integrity),
    bits: Number(bits) || 0,
    ...(level !== '' && {
      level: oneOf(LEVELS, level),
      origins: origins === '' ? [] : origins.split('+').map(decodeURIComponent),
    }),
    ...(times !== '' && { times: Number(times) || 0 }),
  }
}

/** Most values of a task share a few labels. */
const spelled = new WeakMap<Label, string>()

function spellLabel(label: Label): string {
  const known = spelled.get(label)
  if (known !== undefined) return known
  const { integrity, level, origins, bound } = label
  const of = bound?.of === undefined ? '' : `@${encodeURIComponent(bound.of)}`
  const names = [...origins].map((one) => encodeURIComponent(one)).join('+')
  const size = bound?.size === undefined ? '' : `#${bound.size}`
  const text = `${integrity}:${level}:${names}:${bound ? bound.kind + of + size : ''}`
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
  const [version, plan = '', control = '', clearance = '', ...rest] = text.split('|')
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
      ...readPlan(plan),
      control: readControl(control),
      callsBefore: 0,
    },
  }
}

function readArgument(text: string): Argument {
  const [name = '', role, integrity, level, origins = '', bound = ''] = text.split(':')
  const label: Label = {
    integrity: oneOf(INTEGRITIES, integrity),
    level: oneOf(LEVELS, level),
    origins: new Set(origins === '' ? [] : origins.split('+').map(decodeURIComponent)),
    ...(bound !== '' && { bound: readBound(bound) }),
  }
  return { name: decodeURIComponent(name), role: oneOf(ROLES, role), label, isEndorsed: false }
}

function readBound(text: string): Bound {
  const [named = '', size] = text.split('#')
  const [kind, of] = named.split('@')
  return {
    kind: oneOf(BOUNDS, kind),
    ...(of !== undefined && { of: decodeURIComponent(of) }),
    ...(Number(size) > 0 && { size: Number(size) }),
  }
}

class Unreadable extends Error {}

function oneOf<T extends string>(all: readonly T[], text: string | undefined): T {
  const found = all.find((one) => one === text)
  if (found === undefined) throw new Unreadable()
  return found
}
