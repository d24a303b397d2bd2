/** A caller that leaves before the owner has answered and comes back for the answer, over the real queue and store. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { never } from '../../src/kernel/test-never.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { type ApprovalsHouse, asked, openApprovalsHouse } from './approvals-house.ts'

const MINUTE_MS = 60_000

function pass({ clock }: ApprovalsHouse, minutes: number): void {
  clock.wall += minutes * MINUTE_MS
  clock.steady += minutes * MINUTE_MS
}

/** Asks and leaves at once. */
async function leave({ approvals }: ApprovalsHouse, args = { to: 'eve@evil.example' }) {
  return await approvals.ask(asked({ args }), never, AbortSignal.abort())
}

async function sayYes({ approvals }: ApprovalsHouse): Promise<void> {
  const [open] = await approvals.list(false)
  const allow = [open?.items[0]?.digest ?? '']
  await approvals.answer({ id: open?.id ?? '', by: OWNER.id, allow }, 'terminal')
}

test('GATE-3: a late yes holds for the same call, once, and for no other', async () => {
  await using house = await openApprovalsHouse()
  const left = await leave(house)
  assert.equal(left.kind === 'refused' && left.rule, 'approval.waiting')
  pass(house, 14)
  await sayYes(house)
  pass(house, 14)
  const other = await leave(house, { to: 'mallory@evil.example' })
  assert.equal(other.kind === 'refused' && other.rule, 'approval.waiting')
  assert.equal((await leave(house)).kind, 'approved')
  const again = await leave(house)
  assert.equal(again.kind === 'refused' && again.rule, 'approval.waiting')
})

test('GATE-3: fifteen minutes after it, a yes is worth nothing; without an answer the question is a no', async () => {
  await using house = await openApprovalsHouse()
  await leave(house)
  await sayYes(house)
  pass(house, 15)
  const late = await leave(house)
  assert.equal(late.kind === 'refused' && late.rule, 'approval.waiting')
  pass(house, 15)
  const unanswered = await leave(house)
  assert.equal(unanswered.kind, 'refused')
  await assert.rejects(sayYes(house))
})
