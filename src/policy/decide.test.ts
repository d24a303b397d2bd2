/**
 * The decision table, row by row: a question, and the verdict with the rule that gave it. The last tests look at the same
 * rows from the other side: each rule decides a row that no other rule would decide alike, and leaves another alone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Label } from '../labels/label.ts'
import type { Verdict } from '../kernel/tool-call.ts'
import { decide } from './decide.ts'
import type { Argument, Question } from './question.ts'
import { type Rule, RULES } from './rules.ts'
import { arg, ask, FOREIGN, grant, MINE, OWN, template, type Wishes } from './test-question.ts'

type Rows = readonly (readonly [Wishes, string])[]

const show = (verdict: Verdict | undefined): string =>
  verdict ? `${verdict.kind} ${verdict.rule}` : 'none'

function decides(rows: Rows): void {
  for (const [wishes, verdict] of rows) {
    assert.equal(show(decide(ask(wishes))), verdict, JSON.stringify(wishes))
  }
}

const SECRETS: Rows = [
  [
    { args: [arg('content', { ...MINE, level: 'secret' })], grants: [grant('tool')] },
    'deny secret',
  ],
  [{ args: [arg('content', { ...MINE, level: 'secret' })] }, 'deny secret'],
]

test('secret data is always denied, whoever asks and whatever was granted', () => {
  decides(SECRETS)
})

const AVAILABILITY: Rows = [
  ...(['unknown', 'quarantined', 'held', 'collides', 'disabled'] as const).flatMap((blocked) => [
    [{ facts: { blocked, effect: 'local-read' } }, `deny tool.${blocked}`] as const,
    [{ facts: { blocked } }, `deny tool.${blocked}`] as const,
  ]),
  [{ task: { expects: 'another' }, facts: { effect: 'local-read' } }, 'deny tool.changed'],
  [{ task: { expects: 'another' } }, 'deny tool.changed'],
  [{ task: { expects: 'h' } }, 'allow write.own'],
]

test('a tool that is not there, changed, collides or is switched off is refused', () => {
  decides(AVAILABILITY)
})

const CROSSING: Rows = [
  [{ args: [arg('content', FOREIGN)] }, 'ask flow'],
  [{ args: [arg('content', OWN)] }, 'allow write.content'],
  [{ args: [arg('content', { ...FOREIGN, level: 'public' })] }, 'allow write.content'],
  [
    { args: [arg('query', { ...FOREIGN, integrity: 'system' })], facts: { effect: 'remote-read' } },
    'ask flow',
  ],
]

test('POLICY-7: what came from one server does not go to another unasked, and goes back where it came from', () => {
  decides(CROSSING)
})

const REGULATED: Rows = [
  [
    { args: [arg('content', { ...FOREIGN, level: 'regulated' })], grants: [grant('flow')] },
    'ask flow.regulated',
  ],
  [{ args: [arg('content', { ...OWN, level: 'regulated' })] }, 'ask flow.regulated'],
  [{ args: [arg('content', { ...MINE, level: 'regulated' })] }, 'ask flow.regulated'],
]

// Regression 7
test('regulated data is asked about every time, whatever was granted', () => {
  decides(REGULATED)
})

const FROM_DRIVE = [arg('content', FOREIGN)]
const FROM_BOTH = [arg('content', { ...FOREIGN, origins: new Set(['drive', 'bank']) })]
const GRANTED: Rows = [
  [{ args: FROM_DRIVE, grants: [grant('flow')] }, 'allow write.content'],
  [{ args: FROM_BOTH, grants: [grant('flow')] }, 'ask flow'],
]

test('a granted way from one origin opens that way and no other', () => {
  decides(GRANTED)
  const verdict = decide(ask({ args: FROM_DRIVE, grants: [grant('flow')] }))
  assert.deepEqual(verdict.kind === 'allow' && verdict.grants, ['g'])
  const unused = decide(ask({ args: [arg('content', OWN)], grants: [grant('flow')] }))
  assert.equal(unused.kind === 'allow' && unused.grants, undefined)
})

test('a way is offered only where the plan and all targets are trusted', () => {
  const offers = (args: readonly Argument[], plan: Label['integrity'] = 'user'): unknown => {
    const verdict = decide(ask({ args, task: { plan } }))
    return verdict.kind === 'ask' ? verdict.offers : verdict
  }
  assert.deepEqual(offers(FROM_DRIVE), ['flow'])
  assert.deepEqual(offers([...FROM_DRIVE, arg('target', OWN)]), [])
  const picked: Label = { ...OWN, bound: { kind: 'member', of: 'mail' } }
  assert.deepEqual(offers([...FROM_DRIVE, arg('target', picked)]), ['flow'])
  assert.deepEqual(offers(FROM_DRIVE, 'external'), [])
  const from = (...servers: string[]) => [arg('content', { ...FOREIGN, origins: new Set(servers) })]
  assert.deepEqual(offers(from('drive', 'notes')), ['flow'])
  assert.deepEqual(offers(from('a', 'b', 'c', 'd', 'e')), [], 'nobody reads so many names')
})

const KNOWN: Label = { ...OWN, integrity: 'system' }
const DESTRUCTIVE = { facts: { effect: 'destructive' }, grants: [grant('tool')] } as const
const DANGER: Rows = [
  [{ facts: { effect: 'exec' }, grants: [grant('tool')] }, 'ask exec'],
  [{ facts: { effect: 'destructive' } }, 'ask destructive'],
  [{ facts: { effect: 'destructive' }, args: [arg('content', MINE)] }, 'ask destructive'],
  [{ ...DESTRUCTIVE, args: [arg('target', KNOWN)] }, 'allow grant.tool'],
  [{ ...DESTRUCTIVE, args: [arg('target', OWN)] }, 'ask destructive'],
]

test('running commands always asks; a destructive call can be granted, with trusted targets', () => {
  decides(DANGER)
})

const bounded = (kind: 'bool' | 'enum' | 'number'): Label => ({ ...OWN, bound: { kind } })
const STEERED: Rows = [
  ...(['target', 'locator', 'amount', 'query'] as const).flatMap((role) => [
    [{ args: [arg(role, OWN)] }, 'ask target.external'] as const,
    [{ args: [arg(role, OWN, { isEndorsed: true })] }, 'allow write.content'] as const,
    [{ args: [arg(role, KNOWN)] }, 'allow write.own'] as const,
  ]),
  [{ args: [arg('amount', bounded('number'))] }, 'ask target.external'],
  [{ args: [arg('target', bounded('bool'))] }, 'allow write.content'],
  [{ args: [arg('target', { ...OWN, bound: { kind: 'enum', size: 2 } })] }, 'allow write.content'],
]

// Regression 11, 12
test('POLICY-2: words of others that decide to whom, where or how much are asked about', () => {
  decides(STEERED)
})

const READING = { facts: { effect: 'remote-read' } } as const
const MIXED: Label = { ...OWN, level: 'internal', origins: new Set(['mail', 'drive']) }
const READ: Rows = [
  [READING, 'allow read.remote'],
  [{ ...READING, args: [arg('content', MINE)] }, 'allow read.remote'],
  [{ ...READING, args: [arg('query', OWN)] }, 'allow read.remote'],
  [{ ...READING, args: [arg('target', OWN)] }, 'allow read.remote'],
  [{ ...READING, args: [arg('locator', OWN)] }, 'ask target.external'],
  [{ ...READING, args: [arg('query', MIXED)] }, 'ask target.external'],
]

test('a server may be asked about its own things, but not led elsewhere', () => {
  decides(READ)
})

const amount = (value: number): Argument => arg('amount', OWN, { amount: value })
const CAPPED = { grants: [grant('spend')] }
const SPENDING: Rows = [
  [{ args: [arg('target', OWN, { amount: 5 })], grants: [grant('spend')] }, 'ask target.external'],
  [{ ...CAPPED, args: [amount(50), arg('target', MINE)] }, 'allow grant.spend'],
  [{ ...CAPPED, args: [amount(50.01)] }, 'ask target.external'],
  [{ ...CAPPED, args: [amount(-1)] }, 'ask target.external'],
  [{ ...CAPPED, args: [amount(50), arg('target', OWN)] }, 'ask target.external'],
]

test('a cap holds for amounts up to it, and for nothing else that steers', () => {
  decides(SPENDING)
})

const THEIRS = { task: { plan: 'external' } } as const
const TOLD: Label = { ...MINE, origins: new Set(['user']) }
const FOREIGN_PLAN: Rows = [
  [THEIRS, 'ask plan.external'],
  [{ ...THEIRS, args: [arg('content', MINE)] }, 'ask plan.external'],
  [{ task: { plan: 'endorsed' }, args: [arg('content', MINE)] }, 'allow write.own'],
  [{ ...THEIRS, facts: { effect: 'local-read' } }, 'allow read.local'],
  [{ ...THEIRS, ...READING }, 'allow read.remote'],
  [{ ...THEIRS, ...READING, args: [arg('content', TOLD)] }, 'ask plan.external'],
]

test('a plan of somebody else’s asks for every change, and for every word that leaves', () => {
  decides(FOREIGN_PLAN)
})

const LATER = { task: { asksForWrites: true } } as const
const NAMED = { task: { asksForRead: true } } as const
const LATER_PLAN: Rows = [
  [{ ...LATER, args: [arg('content', MINE)] }, 'ask plan.writes'],
  [{ ...LATER, facts: { effect: 'destructive' }, grants: [grant('tool')] }, 'ask plan.writes'],
  [{ ...LATER, ...READING, args: [arg('query', MINE)] }, 'allow read.remote'],
  [{ ...LATER, facts: { effect: 'local-read' } }, 'allow read.local'],
  [{ ...NAMED, ...READING, args: [arg('locator', MINE)] }, 'ask plan.reads'],
  [{ ...NAMED, ...READING, args: [arg('query', MINE)], grants: [grant('tool')] }, 'ask plan.reads'],
]

test('a plan made after untrusted results asks for every change, and for reads that are named', () => {
  decides(LATER_PLAN)
})

const guarded = (bits: number): Wishes => ({ task: { control: { integrity: 'external', bits } } })
const BRANCHES: Rows = [
  [{ ...guarded(4), args: [arg('content', MINE)] }, 'allow write.own'],
  [{ ...guarded(5), args: [arg('content', MINE)] }, 'ask plan.external'],
  [{ ...guarded(1), args: [arg('content', OWN)] }, 'ask plan.external'],
]

test('a branch that others chose runs only where every word of it is fixed, and not too often', () => {
  decides(BRANCHES)
})

const within = (...wishes: Parameters<typeof template>): Wishes => ({
  principal: 'cron',
  task: { template: template(...wishes) },
})
const TEMPLATES: Rows = [
  [{ principal: 'cron' }, 'deny template.none'],
  [within(), 'allow write.own'],
  [within({ allowed: ['drive.*'] }), 'deny template.tool'],
  [within({ denied: ['*'] }), 'deny template.tool'],
  [{ ...within(), task: { template: template(), callsBefore: 3 } }, 'deny template.budget'],
  [{ ...within(), args: [arg('content', OWN)] }, 'deny template.ceiling'],
  [within({ asksForWrites: true }), 'ask template.writes'],
  [{ ...within({ denied: ['mail.send'] }), principal: 'owner' }, 'deny template.tool'],
  [{ ...within({ asksForWrites: true }), principal: 'owner' }, 'ask template.writes'],
  [{ ...within(), principal: 'owner' }, 'allow write.own'],
]

// Regression 3
test('a principal other than the owner needs a template, and stays within it', () => {
  decides(TEMPLATES)
})

const TABLE: Rows = [
  [SECRETS, AVAILABILITY, CROSSING, REGULATED, GRANTED, DANGER, STEERED, READ].flat(),
  [SPENDING, FOREIGN_PLAN, LATER_PLAN, BRANCHES, TEMPLATES].flat(),
].flat()

function first(rules: readonly Rule[], question: Question): Verdict | undefined {
  for (const rule of rules) {
    const verdict = rule(question)
    if (verdict) return verdict
  }
  return undefined
}

for (const rule of RULES) {
  test(`the rule ${JSON.stringify(rule.name)} decides what no other rule would decide alike`, () => {
    const others = RULES.filter((other) => other !== rule)
    const missed = TABLE.filter(([wishes, verdict]) => show(first(others, ask(wishes))) !== verdict)
    assert.notDeepEqual(missed, [], 'without it every row of the table stays as it is')
    const left = TABLE.filter(([wishes]) => rule(ask(wishes)) === undefined)
    assert.notDeepEqual(left, [], 'it has something to say about every row')
  })
}
