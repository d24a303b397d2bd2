/** Questions that are open while the database of the store is away: they wait, and their deadline counts all the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { CordonError } from '../../src/kernel/error.ts'
import type { OwnedApprovals } from '../../src/policy/approvals/open-approvals.ts'
import {
  allow,
  type ApprovalsHouse,
  asked,
  never,
  openApprovalsHouse,
  openQuestion,
  openQueue,
} from './approvals-house.ts'

/** Long enough for several looks at the row. */
const OUTAGE_MS = 100

interface Outage {
  readonly approvals: OwnedApprovals
  isAway: boolean
}

/** A queue whose store can be away. */
async function openOutage({ store, events, clock }: ApprovalsHouse): Promise<Outage> {
  const away = async (): Promise<never> => {
    throw new CordonError('store.unreachable', { exit: 5, hint: '' }, 'Cannot use the database')
  }
  const rows = new Proxy(store.approvals, {
    get: (target, name) => (outage.isAway ? away : (Reflect.get(target, name) as unknown)),
  })
  const outage = { isAway: false }
  const approvals = await openQueue({ approvals: rows, grants: store.grants }, events, clock)
  return Object.assign(outage, { approvals })
}

test('a question outlasts a store that is away, and its answer still counts', async () => {
  await using house = await openApprovalsHouse()
  const outage = await openOutage(house)
  const answer = outage.approvals.ask(asked(), never)
  await openQuestion(outage.approvals)
  outage.isAway = true
  await pause(OUTAGE_MS)
  outage.isAway = false
  await allow(outage.approvals)
  assert.equal((await answer).kind, 'approved')
})

test('a question whose deadline passes while the store is away is a no once it is back', async () => {
  await using house = await openApprovalsHouse()
  const outage = await openOutage(house)
  const answer = outage.approvals.ask(asked(), never)
  await openQuestion(outage.approvals)
  outage.isAway = true
  house.clock.wall += 301_000
  house.clock.steady += 301_000
  await pause(OUTAGE_MS)
  outage.isAway = false
  const { kind, ...rest } = await answer
  assert.deepEqual([kind, 'rule' in rest && rest.rule], ['refused', 'approval.expired'])
})

test('a caller that gives up while the store is away does not wait for it', async () => {
  await using house = await openApprovalsHouse()
  const outage = await openOutage(house)
  const caller = new AbortController()
  const answer = outage.approvals.ask(asked(), caller.signal)
  await openQuestion(outage.approvals)
  outage.isAway = true
  caller.abort()
  await assert.rejects(answer, { code: 'store.unreachable' })
})
