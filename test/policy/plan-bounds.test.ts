/** A call is inside the bounds of an approved plan, or it is asked about: one test for each way to leave them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApprovedPlan, BoundedArgument, BoundedStep } from '../../src/kernel/plan-bounds.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { factsOf } from '../../src/kernel/test-facts.ts'
import type { CallRequest, Task, Verdict } from '../../src/kernel/tool-call.ts'
import type { ToolFacts } from '../../src/kernel/tool-facts.ts'
import type { Label } from '../../src/labels/label.ts'
import { Labelled } from '../../src/labels/labelled.ts'
import { createPolicy } from '../../src/policy/create-policy.ts'
import { isWithinBounds } from '../../src/policy/within-bounds.ts'
import type { Json } from '../../src/text/json.ts'

const BANK = parseServerId('bank')
const FOREIGN: Label = { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) }
const OWN: Label = { integrity: 'user', level: 'internal', origins: new Set() }

const FACTS: ToolFacts = factsOf({
  id: { server: BANK, name: 'pay' },
  effect: 'destructive',
  roles: new Map([
    ['to', 'target'],
    ['amount', 'amount'],
    ['note', 'content'],
    ['via', 'target'],
  ]),
  hash: 'h1',
  serverPin: 'p1',
})

function bounded(name: string, role: string, bound: BoundedArgument['bound'], label: Label) {
  const { integrity, level, origins } = label
  return { name, role, bound, integrity, level, origins: [...origins], from: ['the flow'] }
}

const STEP: BoundedStep = {
  node: 'pay',
  tool: FACTS.id,
  serverName: 'Bank',
  effect: 'destructive',
  hash: 'h1',
  serverPin: 'p1',
  times: 2,
  isCertain: true,
  control: 'user',
  rule: 'target.external',
  reason: 'why',
  args: [
    bounded('to', 'target', { kind: 'fixed', value: 'landlord' }, OWN),
    bounded('amount', 'amount', { kind: 'amount', max: 100 }, FOREIGN),
    bounded('note', 'content', { kind: 'content' }, FOREIGN),
    bounded('via', 'target', { kind: 'varies', values: 1 }, FOREIGN),
  ],
}

function planOf(more: Partial<BoundedStep> = {}, used: ApprovedPlan['used'] = new Map()) {
  const steps = [{ ...STEP, ...more }]
  const bounds = { flow: 'rent', planHash: 'plan-1', principal: OWNER.id, plan: 'user' } as const
  return { approval: 'd', taskId: 'run-1', bounds: { ...bounds, steps, open: [] }, used }
}

type Values = Readonly<Record<string, readonly [Json, Label]>>
const VALUES: Values = {
  to: ['landlord', OWN],
  amount: [99, FOREIGN],
  note: ['rent of May http://evil.example/x', FOREIGN],
  via: ['giro', FOREIGN],
}

function requestOf(values: Values = VALUES, task: Partial<Task> = {}): CallRequest {
  const args = Object.entries(values).map(
    ([name, [value, label]]) => [name, new Labelled(value, { label })] as const,
  )
  return {
    callId: 'run-1/pay/1',
    principal: OWNER,
    tool: FACTS.id,
    args: Object.fromEntries(args),
    task: {
      id: 'run-1',
      step: 'pay',
      node: 'pay',
      plan: 'user',
      planHash: 'plan-1',
      control: { integrity: 'user', bits: 0 },
      callsBefore: 0,
      ...task,
    },
  }
}

function decide(
  request: CallRequest,
  facts: ToolFacts = FACTS,
  plan: ApprovedPlan = planOf(),
): Verdict {
  const policy = createPolicy({
    secrets: { isIn: () => false },
    grantsFor: () => [],
    isEndorsed: () => false,
    planFor: () => plan,
    alarm: () => undefined,
  })
  return policy.decide(request, facts)
}

test('PLAN-1: a call inside the bounds runs, counted, with the links of others disarmed', () => {
  assert.deepEqual(decide(requestOf()), {
    kind: 'allow',
    rule: 'plan.approved',
    plan: { approval: 'd', node: 'pay', times: 2 },
    guard: [{ name: 'note', isHtml: false }],
  })
  assert.ok(isWithinBounds(requestOf(), FACTS, planOf().bounds))
})

test('a text that the owner was shown goes out as it was shown, links and all', () => {
  const [text] = VALUES['note'] ?? ['']
  const args = STEP.args.map((one) =>
    one.name === 'note' ? { ...one, bound: { kind: 'fixed', value: text } as const } : one,
  )
  const verdict = decide(requestOf(), FACTS, planOf({ args }))
  assert.deepEqual(verdict.kind === 'allow' && verdict.guard, [])
})

const LEVEL: Label = { ...FOREIGN, level: 'regulated' }
const ORIGIN: Label = { ...FOREIGN, origins: new Set(['mail', 'drive']) }
const TEMPLATE = {
  name: 't',
  allowed: ['*'],
  denied: [],
  maxCalls: 9,
  ceiling: 'regulated',
  sinks: [],
  asksForWrites: false,
} as const

const OUTSIDE: Readonly<Record<string, Verdict>> = {
  'another target': decide(requestOf({ ...VALUES, to: ['attacker', OWN] })),
  'another target that others chose': decide(requestOf({ ...VALUES, to: ['attacker', FOREIGN] })),
  'a larger amount': decide(requestOf({ ...VALUES, amount: [100.01, FOREIGN] })),
  'a negative amount': decide(requestOf({ ...VALUES, amount: [-1, FOREIGN] })),
  'an amount as text': decide(requestOf({ ...VALUES, amount: ['1', FOREIGN] })),
  'the owner’s own amount above the limit': decide(requestOf({ ...VALUES, amount: [500, OWN] })),
  'more confidential text': decide(requestOf({ ...VALUES, note: ['x', LEVEL] })),
  'text of another server': decide(requestOf({ ...VALUES, note: ['x', ORIGIN] })),
  'several values where one may vary': decide(
    requestOf({ ...VALUES, via: [['giro', 'more'], FOREIGN] }),
  ),
  'a name with each value': decide(requestOf({ ...VALUES, via: [{ giro: 'x' }, FOREIGN] })),
  'an argument more': decide(requestOf({ ...VALUES, cc: ['x', OWN] })),
  'an argument less': decide(requestOf({ to: ['landlord', OWN] })),
  'another tool': decide(
    { ...requestOf(), tool: { server: BANK, name: 'close' } },
    { ...FACTS, id: { server: BANK, name: 'close' } },
  ),
  'another server': decide(requestOf(), {
    ...FACTS,
    id: { server: parseServerId('bank-two'), name: 'pay' },
  }),
  'a changed definition': decide(requestOf(), { ...FACTS, hash: 'h2' }),
  'a changed server': decide(requestOf(), { ...FACTS, serverPin: 'p2' }),
  'a tool that runs commands': decide(requestOf(), { ...FACTS, effect: 'exec' }),
  'a plan that names a tool which runs commands': decide(
    requestOf(),
    { ...FACTS, effect: 'exec' },
    planOf({ effect: 'exec', rule: 'exec' }),
  ),
  'another plan': decide(requestOf(VALUES, { planHash: 'plan-2' })),
  'a plan of somebody else': decide(requestOf(VALUES, { plan: 'external' })),
  'another run': decide(requestOf(VALUES, { id: 'run-2' })),
  'another step': decide(requestOf(VALUES, { node: 'other' })),
  'a call without a step': decide(requestOf(VALUES, { node: '' })),
  'a step that others chose': decide(
    requestOf(VALUES, { control: { integrity: 'external', bits: 1 } }),
  ),
  'a third call of two': decide(
    requestOf(),
    FACTS,
    planOf(
      {},
      new Map([
        ['a', 'pay'],
        ['b', 'pay'],
      ]),
    ),
  ),
  'a task with a template': decide(requestOf(VALUES, { template: TEMPLATE })),
}

for (const [way, verdict] of Object.entries(OUTSIDE)) {
  test(`${way} leaves the bounds and is asked about`, () => assert.equal(verdict.kind, 'ask'))
}

test('a plan never turns a denial into a call', () => {
  const secret: Label = { ...FOREIGN, level: 'secret' }
  const wide = { ...STEP.args[2], level: 'secret' } as BoundedArgument
  const plan = planOf({
    args: [STEP.args[0], STEP.args[1], wide, STEP.args[3]] as BoundedArgument[],
  })
  assert.equal(decide(requestOf({ ...VALUES, note: ['x', secret] }), FACTS, plan).kind, 'deny')
  for (const blocked of ['quarantined', 'disabled', 'unknown', 'collides'] as const) {
    assert.equal(decide(requestOf(), { ...FACTS, blocked }).kind, 'deny')
  }
  assert.equal(decide(requestOf(VALUES, { expects: 'h0' })).kind, 'deny')
})

test('regulated data goes only where the bounds name it', () => {
  const note = (level: Label['level']) =>
    bounded('note', 'content', { kind: 'content' }, { ...FOREIGN, level })
  const argsWith = (level: Label['level']) =>
    STEP.args.map((one) => (one.name === 'note' ? note(level) : one))
  const request = requestOf({ ...VALUES, note: ['x', LEVEL] })
  assert.equal(decide(request, FACTS, planOf({ args: argsWith('sensitive') })).kind, 'ask')
  assert.equal(decide(request, FACTS, planOf({ args: argsWith('regulated') })).kind, 'allow')
})

test('ids of a server’s own list may vary, those of another may not', () => {
  const member = (of: string): Label => ({ ...FOREIGN, bound: { kind: 'member', of } })
  const args = STEP.args.map((one) =>
    one.name === 'via'
      ? { ...one, bound: { kind: 'member', of: 'bank', values: 2 } as const }
      : one,
  )
  const verdict = (value: Json, label: Label) =>
    decide(requestOf({ ...VALUES, via: [value, label] }), FACTS, planOf({ args })).kind
  assert.equal(verdict('giro', member('bank')), 'allow')
  assert.equal(verdict(['a', 'b'], member('bank')), 'allow')
  assert.equal(verdict(['a', 'b', 'c'], member('bank')), 'ask')
  assert.equal(verdict('giro', member('mail')), 'ask')
  assert.equal(verdict('giro', FOREIGN), 'ask')
})

test('a call that was counted before its process died is not counted twice', () => {
  const used = new Map([
    ['run-1/pay/1', 'pay'],
    ['b', 'pay'],
  ])
  assert.equal(decide(requestOf(), FACTS, planOf({}, used)).kind, 'allow')
})

test('a list of others of any length is counted in bounded time', () => {
  const list = Array.from({ length: 1_000_000 }, (_, at) => at)
  const began = process.cpuUsage() // not the clock: a busy machine says nothing about the policy
  assert.equal(decide(requestOf({ ...VALUES, via: [list, FOREIGN] })).kind, 'ask')
  assert.ok(process.cpuUsage(began).user < 2_000_000)
})
