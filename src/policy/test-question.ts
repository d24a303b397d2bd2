/** For tests: the questions that the policy is asked, each like one plain question but for what a test wishes otherwise. */
import type { Grant } from '../kernel/grant.ts'
import type { Label } from '../labels/label.ts'
import { OWNER } from '../kernel/principal.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { factsOf } from '../kernel/test-facts.ts'
import type { Template } from '../kernel/tool-call.ts'
import type { Role, ToolFacts } from '../kernel/tool-facts.ts'
import type { Argument, Question } from './question.ts'

/** Labels of text by the owner, by the server that is called, and by another server. */
export const MINE: Label = { integrity: 'user', level: 'internal', origins: new Set() }
export const OWN: Label = { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) }
export const FOREIGN: Label = { ...OWN, origins: new Set(['drive']) }

export function arg(role: Role, label: Label, more: Partial<Argument> = {}): Argument {
  return { name: role, role, label, isEndorsed: false, ...more }
}

export interface Wishes extends Partial<Omit<Question, 'facts' | 'task'>> {
  readonly facts?: Partial<ToolFacts>
  readonly task?: Partial<Question['task']>
}

/** The owner has a tool of Mail called that writes, in a plan of their own, unless it says otherwise. */
export function ask({ facts, task, ...more }: Wishes = {}): Question {
  return {
    principal: OWNER.kind,
    facts: factsOf(facts),
    args: [],
    task: {
      id: 't',
      step: '1',
      plan: 'user',
      control: { integrity: 'user', bits: 0 },
      callsBefore: 0,
      ...task,
    },
    grants: [],
    ...more,
  }
}

/** May call all of Mail, three times, with what is internal. */
export function template(wishes: Partial<Template> = {}): Template {
  return {
    name: 'daily report',
    allowed: ['mail.*'],
    denied: ['mail.delete'],
    maxCalls: 3,
    ceiling: 'internal',
    sinks: [],
    asksForWrites: false,
    ...wishes,
  }
}

/** For the tool that `ask` has called: to run, to take what comes from Drive, to spend up to 50. */
export function grant(kind: Grant['kind']): Grant {
  const server = parseServerId('mail')
  const facts = { id: 'g', owner: OWNER.id, server, tool: 'send', hash: 'h', serverPin: 'p' }
  const when = { createdAt: 0, expiresAt: 1, usesLeft: 1 }
  if (kind === 'flow') return { ...facts, ...when, kind, origin: 'drive' }
  return kind === 'spend' ? { ...facts, ...when, kind, max: 50 } : { ...facts, ...when, kind }
}
