/** The approval queue over the real store: an answer is bound to one exact call, and can become void in many ways. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER, parsePrincipalId } from '../../src/kernel/principal.ts'
import {
  allow,
  type ApprovalsHouse,
  asked,
  FOREIGN,
  never,
  openApprovalsHouse,
  openQuestion,
  openQueue,
  type Wishes,
} from './approvals-house.ts'

const MINUTE = 60_000
const kinds = ({ events }: ApprovalsHouse) => events.map(({ kind }) => kind)
const rule = (answer: object) => ('rule' in answer ? answer.rule : 'approved')

test('ask() waits for the answer, spends it, and records each step', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const answer = approvals.ask(asked(), never)
  const question = await openQuestion(approvals)
  assert.equal(question.isWaitedFor, true)
  await allow(approvals)
  const approved = await answer
  assert.equal(approved.kind, 'approved')
  const [row] = await house.store.approvals.ofQuestion(OWNER.id, question.id)
  assert.deepEqual(
    [row?.state, row?.digest],
    ['spent', 'approval' in approved && approved.approval],
  )
  assert.deepEqual(kinds(house), ['approval.asked', 'approval.answered', 'approval.spent'])
  const [, { details } = {}] = house.events
  assert.deepEqual(details, {
    allowed: [{ digest: row?.digest, callId: 'c1', taskId: 'task-1' }],
    refused: [],
    how: 'terminal',
  })
})

test('a no is a no, also when the task comes back with the same call', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const answer = approvals.ask(asked(), never)
  const { id } = await openQuestion(approvals)
  await approvals.answer({ id, allow: [], by: OWNER.id }, 'terminal')
  assert.equal(rule(await answer), 'approval.denied')
  assert.equal(rule(await approvals.ask(asked(), never)), 'approval.denied')
  assert.equal(kinds(house).filter((kind) => kind === 'approval.asked').length, 1)
})

test('APPROVAL-1: no answer in 300 seconds is a no, by the clock on the wall', async () => {
  await using house = await openApprovalsHouse()
  const { approvals, clock } = house
  const answer = approvals.ask(asked(), never)
  const { id, items } = await openQuestion(approvals)
  clock.wall += 5 * MINUTE
  assert.equal(rule(await answer), 'approval.expired')
  const late = approvals.answer({ id, allow: [items[0]?.digest ?? ''], by: OWNER.id }, 'terminal')
  await assert.rejects(late, { code: 'approvals.expired', exit: 3 })
  assert.equal(rule(await approvals.ask(asked(), never)), 'approval.expired')
  assert.deepEqual(kinds(house), ['approval.asked', 'approval.expired', 'approval.refused'])
})

test('no answer in 300 seconds is a no, also when the clock was set back meanwhile', async () => {
  await using house = await openApprovalsHouse()
  const { approvals, clock } = house
  const answer = approvals.ask(asked(), never)
  const { id, items } = await openQuestion(approvals)
  clock.wall -= 20_000
  clock.steady += 5 * MINUTE
  assert.equal(rule(await answer), 'approval.expired')
  const late = approvals.answer({ id, allow: [items[0]?.digest ?? ''], by: OWNER.id }, 'terminal')
  await assert.rejects(late, { code: 'approvals.expired' })
})

test('a question from the future cannot be answered: the clock was set back', async () => {
  await using house = await openApprovalsHouse()
  const { approvals, clock } = house
  const answer = approvals.ask(asked(), never)
  const { id, items } = await openQuestion(approvals)
  clock.wall -= 60 * MINUTE
  const early = approvals.answer({ id, allow: [items[0]?.digest ?? ''], by: OWNER.id }, 'terminal')
  await assert.rejects(early, { code: 'approvals.expired' })
  assert.equal(rule(await answer), 'approval.expired')
})

test('an answer counts once', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const answer = approvals.ask(asked(), never)
  const { id, items } = await openQuestion(approvals)
  const yes = { id, allow: [items[0]?.digest ?? ''], by: OWNER.id }
  const no = { ...yes, allow: [] }
  const both = await Promise.allSettled([
    approvals.answer(no, 'terminal'),
    approvals.answer(yes, 'page'),
  ])
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  await answer
  for (const again of [yes, no]) {
    await assert.rejects(approvals.answer(again, 'page'), { code: 'approvals.answered', exit: 3 })
  }
})

// Regression 15
test('an answer counts only from the owner', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const stop = new AbortController()
  const answer = approvals.ask(asked(), stop.signal)
  const { id, items } = await openQuestion(approvals)
  const by = parsePrincipalId('principal:telegram:peer:1234')
  const theirs = approvals.answer({ id, allow: [items[0]?.digest ?? ''], by }, 'chat')
  await assert.rejects(theirs, { code: 'approvals.not-owner', exit: 3 })
  assert.equal((await openQuestion(approvals)).state, 'pending')
  assert.ok(kinds(house).includes('approval.refused'))
  stop.abort()
  assert.equal(rule(await answer), 'approval.void')
})

test('a question whose asker has gone is void', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const stop = new AbortController()
  const answer = approvals.ask(asked(), stop.signal)
  const { id, items } = await openQuestion(approvals)
  stop.abort()
  assert.equal(rule(await answer), 'approval.void')
  const late = approvals.answer({ id, allow: [items[0]?.digest ?? ''], by: OWNER.id }, 'terminal')
  await assert.rejects(late, { code: 'approvals.void', exit: 3 })
  // The same call, made again, is asked about again.
  const again = approvals.ask(asked(), never)
  assert.notEqual((await openQuestion(approvals)).id, id)
  await allow(approvals)
  assert.equal((await again).kind, 'approved')
})

test('an answer names what it allows, by enough of the digest and of exactly one', async () => {
  await using house = await openApprovalsHouse()
  const { approvals, store } = house
  const answer = approvals.ask(asked(), never)
  const { id } = await openQuestion(approvals)
  const [row] = await store.approvals.ofQuestion(OWNER.id, id)
  assert.ok(row)
  const few = approvals.answer({ id, allow: [row.digest.slice(0, 7)], by: OWNER.id }, 'terminal')
  await assert.rejects(few, { code: 'approvals.prefix' })
  const other = row.digest[12] === '0' ? '1' : '0'
  const twin = { ...row, digest: row.digest.slice(0, 12) + other.repeat(52), position: 1 }
  await store.approvals.add(OWNER.id, [twin])
  const ambiguous = row.digest.slice(0, 12)
  const wrong = `${row.digest.startsWith('0') ? '1' : '0'}${row.digest.slice(1, 16)}`
  const twice = row.digest.slice(0, 20)
  for (const allowed of [[ambiguous], [wrong], [''], ['%'], [twice, row.digest]]) {
    const given = approvals.answer({ id, allow: allowed, by: OWNER.id }, 'terminal')
    await assert.rejects(given, { code: 'approvals.prefix', exit: 2 }, JSON.stringify(allowed))
  }
  await approvals.answer({ id, allow: [row.digest.slice(0, 13)], by: OWNER.id }, 'terminal')
  assert.equal((await answer).kind, 'approved')
})

test('a question that does not exist is said to be unknown', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  await assert.rejects(approvals.show('0123456789', false), { code: 'approvals.unknown', exit: 2 })
  const answer = approvals.answer({ id: "x' or 1=1", allow: [], by: OWNER.id }, 'terminal')
  await assert.rejects(answer, { code: 'approvals.unknown' })
})

test('an answer that another process was given is found, and an answer is taken by one only', async () => {
  await using house = await openApprovalsHouse()
  const other = await house.another()
  const here = house.approvals.ask(asked(), never)
  await openQuestion(house.approvals)
  const there = other.ask(asked({ callId: 'c2' }), never)
  await allow(other)
  const answers = await Promise.all([here, there])
  assert.deepEqual(answers.map((one) => String(rule(one))).sort(), ['approval.spent', 'approved'])
  assert.equal(kinds(house).filter((kind) => kind === 'approval.spent').length, 1)
})

test('APPROVAL-2: two who reach for one yes at the same moment do not both get it', async () => {
  await using house = await openApprovalsHouse()
  const { approvals: rows, grants } = house.store
  const both = Promise.withResolvers<void>()
  let reaching = 0
  const spend: typeof rows.spend = async (...taken) => {
    reaching += 1
    if (reaching === 2) both.resolve()
    await both.promise
    return await rows.spend(...taken)
  }
  const queue = await openQueue({ approvals: { ...rows, spend }, grants }, [], house.clock)
  const answers = [queue.ask(asked(), never), queue.ask(asked({ callId: 'c2' }), never)]
  await allow(queue)
  const given = (await Promise.all(answers)).map((one) => String(rule(one)))
  assert.deepEqual(given.sort(), ['approval.spent', 'approved'])
})

test('APPROVAL-1: what was allowed holds for this very call: any change asks anew', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  // Answered but not spent: no process waits for the answer.
  const stop = new AbortController()
  const put = approvals.askTogether([asked()], stop.signal)
  await openQuestion(approvals)
  await allow(approvals)
  await put
  const others: readonly Wishes[] = [
    { args: { to: 'eve@evil.example ' } },
    { args: { to: 'eve@evil.example', cc: '' } },
    { label: { ...FOREIGN, origins: new Set(['web']) } },
    { label: { ...FOREIGN, level: 'sensitive' } },
    { facts: { hash: 'h2' } },
    { facts: { serverPin: 'p2' } },
    { task: { id: 'task-2' } },
    { task: { step: '2' } },
    { task: { planHash: 'x' } },
    { tool: 'send2' },
    { server: 'mail2' },
  ]
  for (const other of others) {
    const gone = new AbortController()
    const answer = approvals.ask(asked(other), gone.signal)
    await openQuestion(approvals)
    gone.abort()
    assert.equal(rule(await answer), 'approval.void', JSON.stringify(other))
  }
  assert.equal((await approvals.ask(asked(), never)).kind, 'approved')
  const [, ...spent] = kinds(house).filter((kind) => kind === 'approval.spent')
  assert.deepEqual(spent, [])
})

test('APPROVAL-1: what was allowed can be used for 300 seconds; after that it is asked anew', async () => {
  await using house = await openApprovalsHouse()
  const { approvals, clock } = house
  const answerAt = async (ms: number) => {
    const put = approvals.askTogether([asked()], never)
    await openQuestion(approvals)
    clock.wall += ms
    await allow(approvals)
    await put
  }
  await answerAt(4 * MINUTE)
  clock.wall += 4.9 * MINUTE
  assert.equal((await approvals.ask(asked(), never)).kind, 'approved')
  await answerAt(0)
  clock.wall += 5 * MINUTE
  const stop = new AbortController()
  const late = approvals.ask(asked(), stop.signal)
  await openQuestion(approvals)
  stop.abort()
  assert.equal(rule(await late), 'approval.void')
  assert.equal(kinds(house).filter((kind) => kind === 'approval.spent').length, 1)
})

test('the same call once more is a new question, which says that it may have run', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const first = approvals.ask(asked(), never)
  await allow(approvals)
  assert.equal((await first).kind, 'approved')
  const second = approvals.ask(asked(), never)
  const { lines } = await openQuestion(approvals)
  assert.match(JSON.stringify(lines), /You allowed exactly this in this step before/)
  await allow(approvals)
  assert.equal((await second).kind, 'approved')
})
