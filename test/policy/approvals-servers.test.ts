/** Questions about several servers: each server has its own answer, and all questions about one can be withdrawn. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../../src/kernel/principal.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import {
  allow,
  type ApprovalsHouse,
  asked,
  never,
  openApprovalsHouse,
  openQuestion,
  openQuestions,
} from './approvals-house.ts'

const kinds = ({ events }: ApprovalsHouse) => events.map(({ kind }) => kind)
const rule = (answer: object) => ('rule' in answer ? answer.rule : 'approved')

test('P9: a yes is about one server: those of another wait for an answer of their own', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const calls = ['mail', 'mail', 'bank'].map((server, at) => {
    return asked({ server, task: { step: String(at) }, callId: `c${at}` })
  })
  const put = approvals.askTogether(calls, never)
  const { id, items } = await openQuestion(approvals)
  const [first = '', second = '', third = ''] = items.map(({ digest }) => digest.slice(0, 8))
  const answer = (allow: readonly string[], server?: string) =>
    approvals.answer({ id, allow, by: OWNER.id, ...(server && { server }) }, 'terminal')
  const both = { code: 'approvals.several-servers', exit: 2 }
  await assert.rejects(answer([first, second, third]), both)
  await assert.rejects(answer([first], 'bank'), both)
  await assert.rejects(answer([], 'notes'), { code: 'approvals.no-server', exit: 2 })
  const { approval } = await answer([first])
  assert.deepEqual(
    [approval.state, ...approval.items.map(({ isAllowed }) => isAllowed)],
    ['pending', true, false, undefined],
  )
  await assert.rejects(answer([second]), { code: 'approvals.answered' })
  assert.equal((await answer([third])).approval.state, 'answered')
  await put
  house.clock.wall += 60_000 // the second answer holds as long as the first
  const answers = await Promise.all(calls.map((call) => approvals.ask(call, never)))
  assert.deepEqual(answers.map(rule), ['approved', 'approval.denied', 'approved'])
})

test('a no to one server leaves the question about another open', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const calls = ['mail', 'bank'].map((server) => asked({ server, callId: server }))
  const put = approvals.askTogether(calls, never)
  const { id } = await openQuestion(approvals)
  const { approval } = await approvals.answer(
    { id, allow: [], server: 'mail', by: OWNER.id },
    'terminal',
  )
  assert.deepEqual(
    approval.items.map(({ isAllowed }) => isAllowed),
    [false, undefined],
  )
  await approvals.answer({ id, allow: [], by: OWNER.id }, 'terminal')
  await put
})

test('withdraw() ends what is asked about a server and what was allowed for it, and nothing else', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  for (const server of ['mail', 'bank']) {
    const answer = approvals.ask(asked({ server, offers: ['tool'] }), never)
    await openQuestion(approvals)
    await allow(approvals, 'tool')
    await answer
  }
  const [mail, bank] = ['mail', 'bank'].map((server) =>
    approvals.ask(asked({ server, callId: server, task: { step: '2' } }), never),
  )
  await openQuestions(approvals, 2)
  await approvals.withdraw(parseServerId('mail'), OWNER.id)
  assert.equal(rule((await mail) ?? {}), 'approval.void')
  assert.deepEqual(
    (await approvals.list(false)).flatMap(({ items }) => items.map(({ tool }) => tool.server)),
    ['bank'],
  )
  const left = (await approvals.grants()).map(({ server }) => server)
  assert.deepEqual(left, ['bank'])
  assert.deepEqual(approvals.grantsFor({ server: parseServerId('mail'), name: 'send' }), [])
  assert.deepEqual(kinds(house).slice(-2), ['grant.revoked', 'approval.void'])
  await allow(approvals)
  assert.equal(rule((await bank) ?? {}), 'approved')
})
