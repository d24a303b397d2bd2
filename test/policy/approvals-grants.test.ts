/** Permissions beyond one call: values endorsed for a task, and grants that end by themselves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUnused } from '../../src/kernel/grant.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { GrantOffer } from '../../src/kernel/tool-call.ts'
import type { OwnedApprovals } from '../../src/policy/approvals/open-approvals.ts'
import {
  allow,
  asked,
  FOREIGN,
  never,
  openApprovalsHouse,
  openQuestion,
  type Wishes,
} from './approvals-house.ts'

const DAY = 24 * 3_600_000
const tool = asked().facts.id

/** Asks about one call and allows it together with a grant. */
async function give(approvals: OwnedApprovals, grant: GrantOffer, wishes: Wishes = {}) {
  const answer = approvals.ask(asked({ offers: [grant], ...wishes }), never)
  const { grants } = await allow(approvals, grant)
  assert.equal((await answer).kind, 'approved')
  return grants
}

test('APPROVAL-3: a value is endorsed for one argument of one server in one task, for a day', async () => {
  await using house = await openApprovalsHouse()
  const { approvals, clock } = house
  const value = 'eve@evil.example'
  const place = { server: tool.server, argument: 'to' }
  assert.equal(approvals.isEndorsed('task-1', value, place), false)
  const grants = await give(approvals, 'endorse', {
    args: { to: value, body: 'hi' },
    about: ['to'],
  })
  assert.deepEqual(grants, [])
  assert.equal(approvals.isEndorsed('task-1', value, place), true)
  for (const [task, other, elsewhere] of [
    ['task-2', value],
    ['task-1', value, { argument: 'cc' }],
    ['task-1', value, { argument: 'to ' }],
    ['task-1', value, { server: 'bank' }],
    ['task-1', `${value} `],
    ['task-1', 'hi'],
    ['task-1', [value]],
    ['task-1', '\ud800'],
  ] as const) {
    const told = `${task} ${JSON.stringify([other, elsewhere])}`
    assert.equal(approvals.isEndorsed(task, other, { ...place, ...elsewhere }), false, told)
  }
  const next = await house.another()
  assert.equal(next.isEndorsed('task-1', value, place), true)
  clock.wall += DAY
  assert.equal(next.isEndorsed('task-1', value, place), false)
  const given = house.events.find(({ kind }) => kind === 'grant.given')
  assert.deepEqual(given?.details?.['args'], ['to'])
  assert.ok(!JSON.stringify(house.events).includes(value))
})

test('a way from several origins is one grant for each, which the owner can take back alone', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const label = { ...FOREIGN, origins: new Set(['notes', 'agenda', 'mail']) }
  const answer = approvals.ask(asked({ offers: ['flow'], label, server: 'mail' }), never)
  const { more } = await openQuestion(approvals)
  const drawn = more.map((line) => line.map(({ text }) => text).join('')).join('\n')
  assert.match(drawn, /what came from notes and agenda may go to this tool/)
  const { grants } = await allow(approvals, 'flow')
  assert.equal((await answer).kind, 'approved')
  const origins = grants.map((grant) => grant.kind === 'flow' && grant.origin)
  assert.deepEqual(origins, ['notes', 'agenda'])
  await approvals.revokeGrant(grants[0]?.id ?? '', OWNER.id)
  assert.deepEqual(
    approvals.grantsFor(tool).map(({ id }) => id),
    [grants[1]?.id],
  )
})

test('each kind of grant is for this tool as it is now, for 90 days and 100 times', async () => {
  await using house = await openApprovalsHouse()
  const { approvals, clock } = house
  const facts = { effect: 'destructive' } as const
  await give(approvals, 'tool', { facts })
  await give(approvals, 'flow', { task: { step: '2' } })
  await give(approvals, 'spend', { args: { amount: 99.2 }, task: { step: '3' } })
  const grants = approvals.grantsFor(tool)
  assert.deepEqual(
    grants.map((grant) => [
      grant.kind,
      'origin' in grant && grant.origin,
      'max' in grant && grant.max,
    ]),
    [
      ['tool', false, false],
      ['flow', 'notes', false],
      ['spend', false, 100],
    ],
  )
  for (const grant of grants) {
    assert.deepEqual([grant.hash, grant.serverPin, grant.usesLeft], ['h1', 'p1', 100])
    assert.equal(grant.expiresAt - grant.createdAt, 90 * DAY)
  }
  assert.deepEqual(approvals.grantsFor({ ...tool, name: 'other' }), [])
  assert.deepEqual((await house.another()).grantsFor(tool), grants)
  clock.wall += 90 * DAY
  assert.deepEqual(approvals.grantsFor(tool), [])
  assert.equal(await approvals.useGrant(grants[0]?.id ?? ''), false)
})

test('a grant is given only where it was offered, and only with a yes', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  const stop = new AbortController()
  const answer = approvals.ask(asked({ offers: ['endorse'] }), stop.signal)
  const { id, items } = await openQuestion(approvals)
  const digest = items[0]?.digest ?? ''
  for (const [allowed, grant] of [
    [[digest], 'tool'],
    [[digest], 'flow'],
    [[], 'endorse'],
  ] as const) {
    const given = approvals.answer({ id, allow: allowed, grant, by: OWNER.id }, 'terminal')
    await assert.rejects(given, { code: 'approvals.no-offer', exit: 2 })
  }
  stop.abort()
  await answer
  assert.deepEqual(await approvals.grants(), [])
})

test('the uses of a grant are counted on disk, whoever takes them', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  await give(approvals, 'tool')
  const other = await house.another()
  const [grant] = approvals.grantsFor(tool)
  const id = grant?.id ?? ''
  const takes = Array.from({ length: 120 }, (_, turn) =>
    (turn % 2 === 0 ? approvals : other).useGrant(id),
  )
  const taken = await Promise.all(takes)
  assert.equal(taken.filter(Boolean).length, 100)
  assert.deepEqual([approvals.grantsFor(tool), other.grantsFor(tool)], [[], []])
  assert.equal(house.events.filter(({ kind }) => kind === 'grant.used').length, 100)
})

test('a grant that was taken back allows nothing, also where that is not known yet', async () => {
  await using house = await openApprovalsHouse()
  const { approvals } = house
  await give(approvals, 'tool')
  const other = await house.another()
  const id = approvals.grantsFor(tool)[0]?.id ?? ''
  await approvals.revokeGrant(id, OWNER.id)
  assert.deepEqual(approvals.grantsFor(tool), [])
  assert.equal(other.grantsFor(tool).length, 1)
  assert.equal(await other.useGrant(id), false)
  assert.deepEqual(other.grantsFor(tool), [])
  await assert.rejects(approvals.revokeGrant(id, OWNER.id), { code: 'approvals.no-grant', exit: 2 })
  assert.equal(house.events.at(-1)?.kind, 'grant.revoked')
})

test('a grant that another process was given holds here after the answer is taken', async () => {
  await using house = await openApprovalsHouse()
  const other = await house.another()
  const answer = house.approvals.ask(asked({ offers: ['tool'] }), never)
  await openQuestion(other)
  await allow(other, 'tool')
  assert.equal((await answer).kind, 'approved')
  assert.equal(house.approvals.grantsFor(tool).length, 1)
})

test('a grant says when it was last used, also to another process, and is unused after 60 days without a use', async () => {
  await using house = await openApprovalsHouse()
  const { approvals, clock } = house
  const [grant] = await give(approvals, 'tool')
  assert.ok(grant)
  const at = (days: number): number => Date.now() + clock.wall + days * DAY
  assert.deepEqual([isUnused(grant, at(59)), isUnused(grant, at(60))], [false, true])
  clock.wall += 50 * DAY
  assert.equal(await approvals.useGrant(grant.id), true)
  const [used] = await (await house.another()).grants()
  assert.ok(used)
  assert.deepEqual(
    [used.usesLeft, isUnused(used, at(59)), isUnused(used, at(60))],
    [99, false, true],
  )
})

test('an address that the owner knows becomes a contact, and nothing that is not shown as an address', async () => {
  await using house = await openApprovalsHouse()
  const { approvals, friends } = house
  const to = ['ada@example.com', '+44 20 7946 0018']
  const args = { to, body: 'bob@example.com' }
  assert.deepEqual(await give(approvals, 'contact', { args, about: ['to'] }), [])
  assert.deepEqual(friends, to)
  const odd = approvals.ask(
    asked({ offers: ['contact'], args: { to: 'room 7' }, task: { step: '2' } }),
    never,
  )
  await assert.rejects(allow(approvals, 'contact'), { code: 'approvals.no-offer' })
  assert.equal((await odd).kind, 'approved')
  assert.equal(friends.length, 2)
})
