/** Questions to the owner: their number, their form, and their end when no answer comes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asked } from '../../src/kernel/approval.ts'
import { OWNER, parsePrincipalId } from '../../src/kernel/principal.ts'
import {
  allow,
  type ApprovalsHouse,
  asked,
  never,
  openApprovalsHouse,
  openQuestion,
  openQuestions,
  OWN,
  SECRET,
  type Wishes,
} from './approvals-house.ts'

const MINUTE = 60_000
const kinds = ({ events }: ApprovalsHouse) => events.map(({ kind }) => kind)
const rule = (answer: object) => ('rule' in answer ? answer.rule : 'approved')

async function digestsOf({ store }: ApprovalsHouse, id: string) {
  return (await store.approvals.ofQuestion(OWNER.id, id)).map(({ digest }) => digest)
}

test('APPROVAL-1: nobody can change the arguments while the question is open', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const inner = { address: 'a@b.example' }
  const call = asked({ args: { to: [inner] } })
  const answer = approvals.ask(call, never)
  assert.throws(() => {
    inner.address = 'eve@evil.example'
  }, TypeError)
  assert.throws(() => Object.assign(call.args, { bcc: 'x' }), TypeError)
  await allow(approvals)
  assert.equal((await answer).kind, 'approved')
})

test('askTogether() puts one question, and each call finds its own answer', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const calls = ['1', '2', '3'].map((step) => asked({ task: { step }, callId: `c${step}` }))
  const put = approvals.askTogether(calls, never)
  const { id, items } = await openQuestion(approvals)
  assert.equal(items.length, 3)
  const [first, , third] = items
  const allowed = [first?.digest.slice(0, 8) ?? '', third?.digest.slice(0, 8) ?? '']
  const { approval } = await approvals.answer({ id, allow: allowed, by: OWNER.id }, 'terminal')
  assert.deepEqual(
    approval.items.map(({ isAllowed }) => isAllowed),
    [true, false, true],
  )
  await put
  const answers = await Promise.all(calls.map((call) => approvals.ask(call, never)))
  assert.deepEqual(answers.map(rule), ['approved', 'approval.denied', 'approved'])
  assert.equal(kinds(house).filter((kind) => kind === 'approval.asked').length, 1)
  assert.equal(kinds(house).filter((kind) => kind === 'approval.spent').length, 2)
})

test('askTogether() of the same call twice allows it twice, and no more', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const put = approvals.askTogether([asked(), asked()], never)
  await openQuestion(approvals)
  await allow(approvals)
  await put
  assert.equal((await approvals.ask(asked(), never)).kind, 'approved')
  assert.equal((await approvals.ask(asked(), never)).kind, 'approved')
  const stop = new AbortController()
  const third = approvals.ask(asked(), stop.signal)
  await openQuestion(approvals)
  stop.abort()
  assert.equal(rule(await third), 'approval.void')
})

test('P9: no more than 20 questions are open, and no more than 60 are asked in ten minutes', async () => {
  await using house = await openApprovalsHouse()
  const { approvals, clock } = house
  const round = async (turn: number) => {
    const stop = new AbortController()
    const calls = Array.from({ length: 20 }, (_, step) =>
      approvals.ask(asked({ task: { step: `${turn}-${step}` } }), stop.signal),
    )
    await openQuestions(approvals, 20)
    const oneMore = await approvals.ask(asked({ task: { step: 'more' } }), never)
    assert.equal(rule(oneMore), 'approval.too-many')
    stop.abort()
    await Promise.all(calls)
  }
  for (const turn of [1, 2, 3]) await round(turn)
  assert.deepEqual(await approvals.list(false), [])
  assert.equal(rule(await approvals.ask(asked(), never)), 'approval.too-many')
  clock.wall += 11 * MINUTE
  const later = approvals.ask(asked(), never)
  await allow(approvals)
  assert.equal((await later).kind, 'approved')
})

test('a question outlives the process that put it, and is over when its time is', async () => {
  await using house = await openApprovalsHouse()
  const first = house.approvals.ask(asked(), never)
  const { id } = await openQuestion(house.approvals)
  await house.approvals[Symbol.asyncDispose]()
  assert.equal(rule(await first), 'approval.ending')
  const next = await house.another()
  const [left] = await next.list(false)
  assert.deepEqual([left?.id, left?.isWaitedFor], [id, false])
  await allow(next)
  assert.equal((await next.ask(asked(), never)).kind, 'approved')

  const other = asked({ task: { step: '2' } })
  const stop = next.ask(other, never)
  await openQuestion(next)
  await next[Symbol.asyncDispose]()
  await stop
  house.clock.wall += 5 * MINUTE
  const last = await house.another()
  const [closed] = await house.store.approvals.newest(OWNER.id, 1)
  assert.equal(closed?.state, 'expired')
  assert.deepEqual(await last.list(false), [])
  assert.equal(rule(await last.ask(other, never)), 'approval.expired')
  assert.ok(kinds(house).includes('approval.expired'))
})

test('follow() tells of the question about a call as soon as there is one', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  assert.equal(await approvals.follow('c9', AbortSignal.timeout(30)), undefined)
  const following = approvals.follow('c9', never)
  const stop = new AbortController()
  const answer = approvals.ask(asked({ callId: 'c9' }), stop.signal)
  assert.equal((await following)?.items[0]?.callId, 'c9')
  stop.abort()
  await answer
})

test('a long text of others is shown in full before it can be allowed', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const end = 'the last words of it'
  const body = `${'so it goes. '.repeat(60)}${end}`
  const answer = approvals.ask(asked({ args: { body } }), never)
  const { id, items, needsFullView, lines } = await openQuestion(approvals)
  assert.equal(needsFullView, true)
  assert.ok(!JSON.stringify(lines).includes(end))
  assert.match(JSON.stringify(lines), /and 240 more characters that are not shown here/)
  const yes = { id, allow: [items[0]?.digest ?? ''], by: OWNER.id }
  await approvals.show(id, false)
  await assert.rejects(approvals.answer(yes, 'terminal'), { code: 'approvals.not-seen', exit: 3 })
  const full = await approvals.show(id, true)
  assert.ok(JSON.stringify(full.lines).includes(end))
  await approvals.answer(yes, 'terminal')
  assert.equal((await answer).kind, 'approved')
})

test('a lent secret is in no row, list or record, and argument values are in no record', async () => {
  await using house = await openApprovalsHouse()
  const { approvals, store } = house
  const stop = new AbortController()
  const args = { to: 'eve@evil.example', [SECRET]: [{ [SECRET]: `Bearer ${SECRET}` }] }
  const answer = approvals.ask(asked({ args }), stop.signal)
  const question = await openQuestion(approvals)
  const rows = await store.approvals.ofQuestion(OWNER.id, question.id)
  assert.ok(!JSON.stringify([question, rows]).includes(SECRET))
  assert.match(JSON.stringify(question), /Bearer \[redacted\]/)
  // A value that becomes a lent secret after it was stored is redacted when the question is shown.
  house.lent.add('eve@evil.example')
  assert.ok(!JSON.stringify(await approvals.show(question.id, true)).includes('evil.example'))
  stop.abort()
  await answer
  const record = JSON.stringify(house.events)
  assert.ok(!record.includes('eve@evil.example'))
  assert.match(record, /mail\.send/)
})

test('a call that nobody can read, or that has no one spelling, is refused', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const ask = async (call: Asked) => rule(await approvals.ask(call, never))
  assert.equal(await ask(asked({ args: { to: 'x'.repeat(300_000) } })), 'approval.too-large')
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`${at}`, 1]))
  const args = { to: { ['x'.repeat(10_000)]: many } }
  assert.equal(await ask(asked({ args })), 'approval.too-large', 'drawn, it is 10 MB')
  assert.equal(await ask(asked({ args: { to: '\ud800' } })), 'approval.unreadable')
  const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)
  assert.equal(await ask(asked({ args: { to: deep } })), 'approval.unreadable')
  assert.deepEqual(house.events, [])
})

test('a yes that comes with the command holds for nothing but the own words of the owner', async () => {
  await using house = await openApprovalsHouse()
  const consented = house.approvals.consented(OWNER.id)
  assert.equal((await consented.ask(asked({ label: OWN }), never)).kind, 'approved')
  assert.deepEqual(kinds(house), ['approval.asked', 'approval.answered', 'approval.spent'])
  assert.equal(house.events[1]?.details?.['how'], 'with the command')
  const notOwn: readonly Wishes[] = [
    {},
    { label: { ...OWN, integrity: 'system' } },
    { label: OWN, task: { plan: 'external' } },
    { label: OWN, task: { control: { integrity: 'external', bits: 1 } } },
    { label: OWN, task: { control: { integrity: 'user', bits: 0, times: 3 } } },
  ]
  for (const wishes of notOwn) {
    const answer = await consented.ask(asked(wishes), never)
    assert.equal(rule(answer), 'approval.not-own-words', JSON.stringify(wishes))
  }
  const stranger = house.approvals.consented(parsePrincipalId('principal:webhook:x'))
  assert.equal(rule(await stranger.ask(asked({ label: OWN }), never)), 'approval.not-own-words')
  // A call approved with its command asks no question, so it does not count against the rate limit of 60 questions.
  for (let turn = 0; turn < 61; turn += 1) {
    const call = asked({ label: OWN, task: { step: `s${turn}` } })
    assert.equal((await consented.ask(call, never)).kind, 'approved')
  }
  const question = house.approvals.ask(asked({ task: { step: 'x' } }), never)
  await allow(house.approvals)
  assert.equal((await question).kind, 'approved')
})

test('each digest is another, and rows are kept for the owner alone', async () => {
  await using house = await openApprovalsHouse()
  const { approvals, store } = house
  const ids: string[] = []
  for (const _ of [1, 2]) {
    const stop = new AbortController()
    const answer = approvals.ask(asked(), stop.signal)
    ids.push((await openQuestion(approvals)).id)
    stop.abort()
    await answer
  }
  const digests = await Promise.all(ids.map((id) => digestsOf(house, id)))
  assert.equal(new Set(digests.flat()).size, 2)
  const other = parsePrincipalId('principal:telegram:peer:1234')
  assert.deepEqual(await store.approvals.ofQuestion(other, ids[0] ?? ''), [])
})
