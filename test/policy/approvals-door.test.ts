/** Approvals at the door, with the real policy: for one call, for a task, or as a standing grant. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callTool } from '../../src/kernel/call-tool.ts'
import { Capability } from '../../src/kernel/capability.ts'
import type { Json } from '../../src/text/json.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { ToolFacts } from '../../src/kernel/tool-facts.ts'
import { createPolicy } from '../../src/policy/create-policy.ts'
import {
  allow,
  asked,
  never,
  openApprovalsHouse,
  openQuestion,
  OWN,
  type Wishes,
} from './approvals-house.ts'

const entry = { end: async <T>(result: T) => result, [Symbol.dispose]: () => undefined }

async function openDoor() {
  const house = await openApprovalsHouse()
  const { approvals } = house
  const ran: Json[] = []
  const known: { facts: Partial<ToolFacts> } = { facts: {} }
  const policy = createPolicy({
    secrets: { isIn: () => false },
    grantsFor: (tool) => approvals.grantsFor(tool),
    isEndorsed: (taskId, value, place) => approvals.isEndorsed(taskId, value, place),
    alarm: () => undefined,
  })
  const label = { integrity: 'external', level: 'internal', origins: new Set<string>() } as const
  const call = (wishes: Wishes) => {
    const { request, facts } = asked(wishes)
    return callTool(
      {
        policy,
        approvals,
        audit: { begin: async () => entry },
        servers: {
          know: () => ({ ...facts, ...known.facts }),
          misfit: async () => undefined,
          call: async (capability) => {
            ran.push({ ...Capability.redeem(capability, Date.now()).args })
            return { kind: 'ok', value: 'done', label }
          },
        },
      },
      request,
      never,
    )
  }
  return { house, approvals, call, ran, known, [Symbol.asyncDispose]: house[Symbol.asyncDispose] }
}

const rule = (result: object) => ('rule' in result ? result.rule : 'ok')
const amount: Partial<ToolFacts> = { roles: new Map([['amount', 'amount']]) }

test('APPROVAL-1: what runs is what was shown, and the next such call is asked about again', async () => {
  await using door = await openDoor()
  const first = door.call({})
  const { items } = await openQuestion(door.approvals)
  await allow(door.approvals)
  assert.equal(rule(await first), 'ok')
  assert.deepEqual(door.ran, [items[0]?.args])
  const second = door.call({ task: { step: '2' } })
  const { id } = await openQuestion(door.approvals)
  await door.approvals.answer({ id, allow: [], by: OWNER.id }, 'terminal')
  assert.equal(rule(await second), 'approval.denied')
  assert.equal(door.ran.length, 1)
})

test('a tool that changes while the question is open does not run', async () => {
  for (const change of [{ hash: 'h2' }, { serverPin: 'p2' }, { blocked: 'quarantined' }] as const) {
    await using door = await openDoor()
    const calling = door.call({})
    await openQuestion(door.approvals)
    door.known.facts = change
    await allow(door.approvals)
    assert.equal(rule(await calling), 'approval.void')
    assert.deepEqual(door.ran, [])
  }
})

test('an endorsed value steers the rest of its task without a question, and no other task', async () => {
  await using door = await openDoor()
  const first = door.call({})
  await openQuestion(door.approvals)
  await allow(door.approvals, 'endorse')
  await first
  assert.equal(rule(await door.call({ task: { step: '2' } })), 'ok')
  assert.equal(rule(await door.call({ task: { step: '3' }, tool: 'invite' })), 'ok')
  const other = door.call({ task: { id: 'task-2' } })
  await openQuestion(door.approvals)
  await allow(door.approvals)
  assert.equal(rule(await other), 'ok')
})

test('a cap on amounts lets smaller ones pass, counts them, and falls with the pin', async () => {
  await using door = await openDoor()
  const pay = (value: number, step: string, facts: Partial<ToolFacts> = {}) =>
    door.call({ args: { amount: value }, task: { step }, facts: { ...amount, ...facts } })
  const first = pay(99.5, '1')
  const { more } = await openQuestion(door.approvals)
  assert.match(JSON.stringify(more), /amounts up to 100 that others name/)
  await allow(door.approvals, 'spend')
  assert.equal(rule(await first), 'ok')
  assert.equal(rule(await pay(100, '2')), 'ok')
  assert.equal((await door.approvals.grants())[0]?.usesLeft, 99)
  for (const [value, facts] of [
    [100.5, {}],
    [-1, {}],
    [50, { hash: 'h2' }],
    [50, { serverPin: 'p2' }],
  ] as const) {
    const calling = pay(value, `3-${value}-${JSON.stringify(facts)}`, facts)
    await openQuestion(door.approvals)
    await allow(door.approvals)
    assert.equal(rule(await calling), 'ok')
  }
  assert.equal((await door.approvals.grants())[0]?.usesLeft, 99)
})

test('a grant for a tool lets it run with the words of the owner, and asks for those of others', async () => {
  await using door = await openDoor()
  const facts = { effect: 'destructive' } as const
  const first = door.call({ label: OWN, facts })
  await openQuestion(door.approvals)
  await allow(door.approvals, 'tool')
  assert.equal(rule(await first), 'ok')
  assert.equal(rule(await door.call({ label: OWN, facts, task: { step: '2' } })), 'ok')
  const steered = door.call({ facts, task: { step: '3' } })
  await openQuestion(door.approvals)
  await allow(door.approvals)
  assert.equal(rule(await steered), 'ok')
})
