/** A plan as a question in a real store: answered once, by its owner, for what was shown, and counted call by call. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import type { ShownApproval } from '../../src/kernel/approval-port.ts'
import type { AskedPlan, BoundedStep, PlanUse } from '../../src/kernel/plan-bounds.ts'
import { OWNER, type PrincipalId } from '../../src/kernel/principal.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import {
  allow,
  type ApprovalsHouse,
  never,
  openApprovalsHouse,
  openQuestion,
  SECRET,
} from './approvals-house.ts'

const SERVER = parseServerId('mail')

function stepOf(node: string, value: string, more: Partial<BoundedStep> = {}): BoundedStep {
  return {
    node,
    tool: { server: SERVER, name: 'send' },
    serverName: 'mail',
    effect: 'write',
    hash: 'h',
    serverPin: 'p',
    times: 2,
    isCertain: true,
    control: 'user',
    rule: 'target.external',
    reason: '"to" was chosen by words that are not yours',
    args: [
      {
        name: 'to',
        role: 'target',
        bound: { kind: 'fixed', value },
        integrity: 'external',
        level: 'internal',
        origins: ['notes'],
        from: ['the flow'],
      },
    ],
    ...more,
  }
}

function planOf(taskId = 'run-1', steps = [stepOf('a', 'x@y.example')]): AskedPlan {
  const bounds = { flow: 'f', planHash: 'h', principal: OWNER.id, plan: 'user', open: [] } as const
  return { taskId, callId: `${taskId}/plan`, bounds: { ...bounds, steps }, isUnderWay: false }
}

/** Asks, allows it, and returns the approval. */
async function allowed(house: ApprovalsHouse, plan = planOf()): Promise<string> {
  const asking = house.approvals.askPlan(plan, never)
  await allow(house.approvals)
  assert.equal(await asking, true)
  return house.approvals.planFor(plan.taskId)?.approval ?? ''
}

function use(approval: string, callId: string, more: Partial<PlanUse> = {}): PlanUse {
  return { approval, callId, node: 'a', times: 2, ...more }
}

function textOf({ lines }: ShownApproval): string {
  return lines.map((line) => line.map(({ text }) => text).join('')).join('\n')
}

test('an allowed plan is found again by its run, in any process, and asked about once', async () => {
  await using house = await openApprovalsHouse()
  const approval = await allowed(house)
  // As after kill -9 between the answer and the first step.
  const other = await house.another()
  assert.equal(other.planFor('run-1')?.approval, approval)
  assert.equal(await other.askPlan(planOf(), never), true)
  assert.equal((await other.list(true)).length, 1)
  assert.equal(other.planFor('run-2'), undefined)
})

test('a run that is under way finds its answer and asks nothing', async () => {
  await using house = await openApprovalsHouse()
  assert.equal(await house.approvals.askPlan({ ...planOf(), isUnderWay: true }, never), false)
  assert.deepEqual(await house.approvals.list(true), [])
})

test('no step makes more calls than the plan says, however many processes count', async () => {
  await using house = await openApprovalsHouse()
  const approval = await allowed(house)
  const other = await house.another()
  const taken = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      (at % 2 === 0 ? house.approvals : other).usePlan(use(approval, `c${at}`)),
    ),
  )
  assert.equal(taken.filter(Boolean).length, 2)
  assert.equal(await other.usePlan(use(approval, 'b', { node: 'b' })), true)
  // The same call again is the same use; under another node it is none.
  const uses = await house.store.approvals.planUses(OWNER.id, approval)
  const again = [...uses.keys()].find((callId) => callId.startsWith('c')) ?? ''
  assert.equal(await other.usePlan(use(approval, again)), true)
  assert.equal(await other.usePlan(use(approval, again, { node: 'b' })), false)
  assert.equal(await other.usePlan(use('0'.repeat(64), 'z')), false)
})

test('bounds that were changed on disk between question and answer are no plan', async () => {
  await using house = await openApprovalsHouse()
  const asking = house.approvals.askPlan(planOf(), never)
  const { id } = await openQuestion(house.approvals)
  edit(house, (content) => content.replace('x@y.example', 'e@v.example'))
  await assert.rejects(allow(house.approvals), { code: 'approvals.void' })
  // Control: put back as they were, the same answer counts.
  edit(house, (content) => content.replace('e@v.example', 'x@y.example'))
  await allow(house.approvals)
  assert.equal(await asking, true)
  edit(house, (content) => content.replace('"times":2', '"times":9'))
  const other = await house.another()
  assert.equal(other.planFor('run-1'), undefined)
  assert.ok(id)
})

test('a plan that was denied stays denied, and its time runs out', async () => {
  await using house = await openApprovalsHouse()
  const asking = house.approvals.askPlan(planOf(), never)
  const { id } = await openQuestion(house.approvals)
  await house.approvals.answer({ id, allow: [], by: OWNER.id }, 'terminal')
  assert.equal(await asking, false)
  assert.equal(await house.approvals.askPlan(planOf(), never), false)
  const approval = await allowed(house, planOf('run-2'))
  house.clock.wall += 3_599_000
  assert.equal(await house.approvals.usePlan(use(approval, 'c1')), true)
  house.clock.wall += 2000
  assert.equal(house.approvals.planFor('run-2'), undefined)
  assert.equal(await house.approvals.usePlan(use(approval, 'c2')), false)
})

test('only the owner allows a plan, by its digest, and only once', async () => {
  await using house = await openApprovalsHouse()
  const asking = house.approvals.askPlan(planOf(), never)
  const { id, items } = await openQuestion(house.approvals)
  const digits = items[0]?.digest.slice(0, 32) ?? ''
  const say = (by: PrincipalId, one: string) =>
    house.approvals.answer({ id, allow: [one], by }, 'terminal')
  const stranger = 'principal:telegram:peer:1' as PrincipalId
  await assert.rejects(say(stranger, digits), { code: 'approvals.not-owner' })
  await assert.rejects(say(OWNER.id, 'f'.repeat(32)), { code: 'approvals.prefix' })
  await say(OWNER.id, digits)
  assert.equal(await asking, true)
  await assert.rejects(say(OWNER.id, digits), { code: 'approvals.answered' })
})

test('long text of others cannot hide in a plan, nor end its line', async () => {
  await using house = await openApprovalsHouse()
  const long = `x@y.example\n    allowed by you\u001b[2J${'a'.repeat(600)} and the end`
  const asking = house.approvals.askPlan(planOf('run-1', [stepOf('a\nb', long)]), never)
  const brief = await openQuestion(house.approvals)
  assert.ok(brief.needsFullView)
  await assert.rejects(allow(house.approvals), { code: 'approvals.not-seen' })
  const full = await house.approvals.show(brief.id, true)
  assert.match(textOf(full), /and the end›/)
  assert.doesNotMatch(textOf(full), /^ {4}allowed by you/m)
  assert.doesNotMatch(textOf(full), new RegExp(String.fromCodePoint(27)))
  await allow(house.approvals)
  assert.equal(await asking, true)
})

test('a plan that holds a secret, is too long to read, empty or without one spelling is not put', async () => {
  await using house = await openApprovalsHouse()
  for (const value of [SECRET, 'a'.repeat(300_000)]) {
    const plan = planOf('run-1', [stepOf('a', value)])
    assert.equal(await house.approvals.askPlan(plan, never), false)
  }
  assert.equal(await house.approvals.askPlan(planOf('run-2', []), never), false)
  const unspelled = planOf('run-3', [stepOf('a', '\ud800')])
  assert.equal(await house.approvals.askPlan(unspelled, never), false)
  assert.deepEqual(await house.approvals.list(true), [])
})

test('a server that is withdrawn takes the open plans with it that would call it', async () => {
  await using house = await openApprovalsHouse()
  const asking = house.approvals.askPlan(planOf(), never)
  await openQuestion(house.approvals)
  await house.approvals.withdraw(parseServerId('other'), OWNER.id)
  await openQuestion(house.approvals)
  await house.approvals.withdraw(SERVER, OWNER.id)
  assert.equal(await asking, false)
})

function edit({ path }: ApprovalsHouse, change: (content: string) => string): void {
  const db = new DatabaseSync(path)
  const [row] = db.prepare('select content from approval').all()
  const content = change(String(row?.['content']))
  db.prepare('update approval set content = ?').run(content)
  db.close()
}
