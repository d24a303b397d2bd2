/** Labels and questions of every kind, and every way to make one stricter. */
import fc from 'fast-check'
import { EFFECTS } from '../kernel/effect.ts'
import type { Grant } from '../kernel/grant.ts'
import {
  BOUNDS,
  type Bound,
  INTEGRITIES,
  type Integrity,
  joinLabels,
  type Label,
  LEVELS,
} from '../labels/label.ts'
import { OWNER } from '../kernel/principal.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { factsOf } from '../kernel/test-facts.ts'
import type { Control, Task, Template } from '../kernel/tool-call.ts'
import { type Role, ROLES } from '../kernel/tool-facts.ts'
import type { Argument, Question } from './question.ts'

const SERVERS = ['mail', 'notes', 'web', 'user'] as const

const bounds: fc.Arbitrary<Bound> = fc
  .record({
    kind: fc.constantFrom(...BOUNDS),
    of: fc.option(fc.constantFrom(...SERVERS)),
    isDirectory: fc.boolean(),
    size: fc.option(fc.integer({ min: 1, max: 40 })),
  })
  .map(({ kind, of, isDirectory, size }): Bound => {
    if (kind === 'member' && of) return { kind, of, ...(isDirectory && { isDirectory }) }
    return kind === 'enum' && size ? { kind, size } : { kind }
  })

export const labels: fc.Arbitrary<Label> = fc
  .record({
    integrity: fc.constantFrom(...INTEGRITIES),
    level: fc.constantFrom(...LEVELS, 'public', 'internal'),
    origins: fc.subarray([...SERVERS]).map((names) => new Set<string>(names)),
    bound: fc.option(bounds),
  })
  .map(({ bound, ...label }) =>
    bound && label.integrity === 'external' ? { ...label, bound } : label,
  )

const args: fc.Arbitrary<readonly Argument[]> = fc.uniqueArray(
  fc
    .record({
      name: fc.constantFrom('a', 'b', 'c', 'isPublic'),
      role: fc.constantFrom(...ROLES),
      label: labels,
      isEndorsed: fc.boolean(),
      amount: fc.option(fc.integer({ min: -10, max: 100 })),
    })
    .map(({ amount, ...arg }) => (amount === null ? arg : { ...arg, amount })),
  { maxLength: 4, selector: ({ name }) => name },
)

const template: fc.Arbitrary<Template> = fc.record({
  name: fc.constant('nightly'),
  allowed: fc.constantFrom(['*'], ['mail.*'], ['mail.*'], ['notes.*']),
  denied: fc.constantFrom([], [], [], ['mail.send']),
  maxCalls: fc.constantFrom(0, 9, 9, 9),
  ceiling: fc.constantFrom('internal', 'regulated', 'secret'),
  sinks: fc.constant([]),
  asksForWrites: fc.boolean(),
})

const task: fc.Arbitrary<Task> = fc
  .record({
    plan: fc.constantFrom<Integrity[]>('user', 'user', ...INTEGRITIES),
    control: fc
      .record({
        integrity: fc.constantFrom<Integrity[]>('user', 'user', ...INTEGRITIES),
        bits: fc.integer({ min: 0, max: 6 }),
        level: fc.constantFrom(undefined, undefined, ...LEVELS),
        origins: fc.subarray([...SERVERS]),
        times: fc.constantFrom(undefined, undefined, 1, 30),
      })
      .map(
        ({ integrity, bits, level, origins, times }): Control => ({
          integrity,
          bits,
          ...(level && { level, origins }),
          ...(times && { times }),
        }),
      ),
    expects: fc.constantFrom(undefined, 'h', 'h', 'h', 'other'),
    template: fc.option(template),
    asksForWrites: fc.constantFrom(undefined, undefined, true as const),
    asksForRead: fc.constantFrom(undefined, undefined, true as const),
    callsBefore: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ expects, template, asksForWrites, asksForRead, ...rest }) => ({
    id: 't',
    step: '1',
    ...rest,
    ...(expects && { expects }),
    ...(template && { template }),
    ...(asksForWrites && { asksForWrites }),
    ...(asksForRead && { asksForRead }),
  }))

const grantBase = {
  id: 'g',
  owner: OWNER.id,
  server: parseServerId('mail'),
  tool: 'send',
  hash: 'h',
  serverPin: 'p',
  createdAt: 0,
  expiresAt: 1,
  usesLeft: 1,
}

const grants: fc.Arbitrary<readonly Grant[]> = fc.subarray<Grant>([
  { ...grantBase, kind: 'flow', origin: 'notes' },
  { ...grantBase, kind: 'flow', origin: 'web' },
  { ...grantBase, kind: 'tool' },
  { ...grantBase, kind: 'tool', ids: true },
  { ...grantBase, kind: 'spend', max: 50 },
])

export const questions: fc.Arbitrary<Question> = fc.record({
  principal: fc.constantFrom('owner', 'owner', 'cron'),
  facts: fc
    .record({
      effect: fc.constantFrom(...EFFECTS),
      blocked: fc.constantFrom(undefined, undefined, undefined, undefined, 'quarantined' as const),
      clearance: fc.constantFrom(
        { own: 'sensitive', others: 'public' } as const,
        { own: 'sensitive', others: 'internal' } as const,
        { own: 'sensitive', others: 'sensitive' } as const,
        { own: 'regulated', others: 'internal' } as const,
        { own: 'regulated', others: 'regulated' } as const,
      ),
    })
    .map(({ blocked, ...facts }) => factsOf({ ...facts, ...(blocked && { blocked }) })),
  args,
  task,
  grants,
})

/** The roles that a schema can give. An amount is apart: it is as strict as a target, but an owner can cap it. */
const STEERING: readonly Role[] = ['content', 'query', 'target', 'locator']

/** One way to make a question stricter: a label joined with another, a hint heard, a permission gone. */
export const raises: fc.Arbitrary<(question: Question) => Question> = fc.oneof(
  fc.record({ at: fc.nat(3), by: labels }).map(
    ({ at, by }) =>
      (q: Question) =>
        withArg(q, at, (arg) => raised(arg, by)),
  ),
  fc.nat(3).map((at) => (q: Question) => withArg(q, at, (arg) => ({ ...arg, isEndorsed: false }))),
  fc.nat(3).map((at) => (q: Question) => withArg(q, at, unbound)),
  fc.record({ at: fc.nat(3), role: fc.constantFrom(...STEERING) }).map(
    ({ at, role }) =>
      (q: Question) =>
        withArg(q, at, (arg) => steering(arg, role)),
  ),
  fc.constantFrom(...INTEGRITIES).map((plan) => (q: Question) => ({
    ...q,
    task: { ...q.task, plan: worse(INTEGRITIES, q.task.plan, plan) },
  })),
  fc.record({ integrity: fc.constantFrom(...INTEGRITIES), more: fc.nat(6) }).map(
    (by) => (q: Question) =>
      controlled(q, (control) => ({
        ...control,
        integrity: worse(INTEGRITIES, control.integrity, by.integrity),
        bits: control.bits + by.more,
      })),
  ),
  fc.record({ level: fc.constantFrom(...LEVELS), origin: fc.constantFrom(...SERVERS) }).map(
    (by) => (q: Question) =>
      controlled(q, (control) => ({
        ...control,
        level: worse(LEVELS, control.level ?? 'public', by.level),
        origins: [...new Set([...(control.origins ?? []), by.origin])],
      })),
  ),
  fc.constant((q: Question) => controlled(q, (control) => ({ ...control, times: 2 }))),
  fc.constantFrom(...EFFECTS).map((effect) => (q: Question) => ({
    ...q,
    facts: { ...q.facts, effect: worse(EFFECTS, q.facts.effect, effect) },
  })),
  fc.constant((q: Question) => ({ ...q, grants: [] })),
  fc.constant((q: Question) => ({ ...q, facts: { ...q.facts, blocked: 'quarantined' as const } })),
  fc
    .record({ own: fc.constantFrom(...LEVELS), others: fc.constantFrom(...LEVELS) })
    .map((by) => (q: Question) => ({
      ...q,
      facts: {
        ...q.facts,
        clearance: {
          own: better(LEVELS, q.facts.clearance.own, by.own),
          others: better(LEVELS, better(LEVELS, q.facts.clearance.others, by.others), by.own),
        },
      },
    })),
)

function controlled(question: Question, change: (control: Control) => Control): Question {
  const { task } = question
  return { ...question, task: { ...task, control: change(task.control) } }
}

function withArg(question: Question, at: number, change: (arg: Argument) => Argument): Question {
  return {
    ...question,
    args: question.args.map((arg, index) => (index === at ? change(arg) : arg)),
  }
}

function raised(arg: Argument, by: Label): Argument {
  return { ...arg, label: joinLabels(arg.label, by) }
}

function steering(arg: Argument, role: Role): Argument {
  return arg.role === 'amount' ? arg : { ...arg, role: worse(STEERING, arg.role, role) }
}

/** It may say anything now. */
function unbound(arg: Argument): Argument {
  const { integrity, level, origins } = arg.label
  return { ...arg, label: { integrity, level, origins } }
}

function worse<T>(order: readonly T[], a: T, b: T): T {
  return order.indexOf(a) < order.indexOf(b) ? b : a
}

function better<T>(order: readonly T[], a: T, b: T): T {
  return order.indexOf(a) < order.indexOf(b) ? a : b
}
