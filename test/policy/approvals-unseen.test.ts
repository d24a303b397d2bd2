/** A question that nobody was shown becomes a notice, and the notice goes when the question is over. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../../src/kernel/principal.ts'
import { openNotices } from '../../src/notices/open-notices.ts'
import { openApprovals } from '../../src/policy/approvals/open-approvals.ts'
import { becomes, until } from '../fixtures/until.ts'
import { asked, never, openApprovalsHouse } from './approvals-house.ts'

const SECOND = 1000

async function openUnseenHouse() {
  const house = await openApprovalsHouse()
  const { store, clock } = house
  const now = () => Date.now() + clock.wall
  const redactor = { redact: (text: string) => text }
  const log = { info() {}, warn() {}, error() {} }
  const { notices: rows } = store.forOwner(OWNER.id)
  const notices = await openNotices({ rows, log, redactor, now })
  const receipt = { seq: 1, hash: '' }
  const open = () =>
    openApprovals({
      owner: OWNER.id,
      rows: store.approvals,
      grants: store.grants,
      audit: { append: () => receipt, appendDurable: async () => receipt, damage: undefined },
      redactor,
      notices,
      now,
      monotonic: () => performance.now() + clock.steady,
      pollMs: 5,
    })
  const pending = async () => {
    const all = await store.approvals.newest(OWNER.id, 10)
    return all.find(({ state }) => state === 'pending')?.question ?? ''
  }
  return { house, clock, notices, open, pending }
}

/** The clock goes on, and a waiting call looks several times. */
async function pass(clock: { wall: number; steady: number }, ms: number): Promise<void> {
  clock.wall += ms
  clock.steady += ms
  await new Promise((resolve) => setTimeout(resolve, 60))
}

test('a question that waits for 30 seconds and that no surface showed is a notice until it is answered', async () => {
  const { house, clock, notices, open, pending } = await openUnseenHouse()
  await using _house = house
  await using approvals = await open()
  const answer = approvals.ask(asked(), never)
  await until(async () => (await pending()) !== '')
  await pass(clock, 20 * SECOND)
  assert.deepEqual(await notices.list(), [])
  await pass(clock, 11 * SECOND)
  const id = await pending()
  await until(async () => (await notices.list()).length > 0)
  const [notice] = await notices.list()
  assert.equal(notice?.id, 'mail:approval')
  assert.equal(notice.what, `A question about mail waits for your answer: send (${id})`)
  assert.match(notice.hint, /`cordon approvals list`/)
  assert.equal(notice.count, 1)
  await approvals.answer({ id, allow: [], by: OWNER.id }, 'terminal')
  await answer
  await until(async () => (await notices.list()).length === 0)
})

test('a question that somebody was shown is no notice', async () => {
  const { house, clock, notices, open, pending } = await openUnseenHouse()
  await using _house = house
  await using approvals = await open()
  for (const look of [
    async () => await approvals.list(false),
    async () => await approvals.show(await pending(), false),
    async () => await approvals.follow('c1', never),
  ]) {
    const leaving = new AbortController()
    const answer = approvals.ask(asked(), leaving.signal)
    await until(async () => (await pending()) !== '')
    await look()
    await pass(clock, 60 * SECOND)
    assert.deepEqual(await notices.list(), [])
    leaving.abort()
    await answer
  }
})

test('a notice that a killed process left behind goes when its question expires', async () => {
  const { house, clock, notices, open, pending } = await openUnseenHouse()
  await using _house = house
  {
    await using approvals = await open()
    void approvals.ask(asked(), never)
    await until(async () => (await pending()) !== '')
    await pass(clock, 31 * SECOND)
    await becomes(async () => (await notices.list()).length, 1)
  }
  await pass(clock, 300 * SECOND)
  assert.equal((await notices.list()).length, 1)
  await using _next = await open()
  await until(async () => (await notices.list()).length === 0)
})
