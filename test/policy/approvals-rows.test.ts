/** Rows of approvals and grants on both database engines: of several concurrent changes to a row, exactly one wins. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { ApprovalRow } from '../../src/kernel/approval-port.ts'
import type { Grant } from '../../src/kernel/grant.ts'
import { OWNER, parsePrincipalId } from '../../src/kernel/principal.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { openStore, type Store } from '../../src/store/open-store.ts'
import { openPostgres, type TestPostgres } from '../fixtures/postgres.ts'

const owner = OWNER.id
const stranger = parsePrincipalId('principal:telegram:peer:1234')
const log = { info() {}, warn() {}, error() {} }
const NOW = Date.parse('2026-11-15T12:00:00Z')
const folder = mkdtempSync(path.join(tmpdir(), 'cordon-rows-'))
let server: TestPostgres
before(async () => {
  server = await openPostgres()
})
after(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

function row(digest: string, more: Partial<ApprovalRow> = {}): ApprovalRow {
  return {
    question: 'q1',
    position: 0,
    digest,
    key: 'k1',
    callId: 'c1',
    taskId: 't1',
    state: 'pending',
    askedAt: NOW,
    answerBy: NOW + 300,
    useBy: NOW + 600,
    wasSeen: false,
    content: '{"text":"ü\\u0000"}',
    ...more,
  }
}

const GRANT: Grant = {
  kind: 'spend',
  max: 9_007_199_254_740_991,
  id: 'g1',
  owner,
  server: parseServerId('bank'),
  tool: 'pay',
  hash: 'h',
  serverPin: 'p',
  createdAt: NOW,
  expiresAt: NOW + 1000,
  usesLeft: 3,
}

const yes = (allow: readonly string[], at = NOW) => {
  return { among: ['a', 'b', 'c'], allow, by: owner, how: 'terminal', at, useBy: at + 300 }
}
const states = async ({ approvals }: Store) => {
  const rows = await approvals.ofQuestion(owner, 'q1')
  return rows.map(({ state }) => state)
}
const many = <T>(work: () => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: 8 }, work))

const engines: readonly (readonly [string, () => Promise<Store>])[] = [
  ['sqlite', () => openStore({ sqlitePath: path.join(folder, `${Math.random()}.db`), log })],
  [
    'postgresql',
    async () => openStore({ databaseUrl: await server.createDatabase(), sqlitePath: '', log }),
  ],
]

for (const [engine, open] of engines) {
  test(`${engine}: a question is stored as it is, found by what it is about, and by nobody else`, async () => {
    await using store = await open()
    const { approvals } = store
    const rows = [row('a'), row('b', { position: 1, key: 'k2', callId: 'c2' })]
    await approvals.add(owner, rows)
    assert.deepEqual(await approvals.ofQuestion(owner, 'q1'), rows)
    assert.deepEqual(await approvals.ofKey(owner, 'k2'), rows.slice(1))
    assert.deepEqual(await approvals.ofCall(owner, 'c1'), rows.slice(0, 1))
    assert.deepEqual(await approvals.newest(owner, 1), rows.slice(0, 1))
    assert.deepEqual(await approvals.ofQuestion(stranger, 'q1'), [])
    await assert.rejects(approvals.add(owner, [row('c', { question: 'q2' }), row('a')]))
    assert.deepEqual(await approvals.ofQuestion(owner, 'q2'), [])
    await approvals.markSeen(owner, 'q1')
    const seen = await approvals.ofQuestion(owner, 'q1')
    assert.ok(seen.every(({ wasSeen }) => wasSeen))
  })

  test(`APPROVAL-2: ${engine}: of many answers one counts, and none that is late or not the owner's`, async () => {
    await using store = await open()
    const { approvals } = store
    await approvals.add(owner, [row('a'), row('b', { position: 1 })])
    assert.deepEqual(await approvals.answer(owner, 'q1', yes(['a'], NOW + 300)), [])
    assert.deepEqual(await approvals.answer(stranger, 'q1', yes(['a'])), [])
    const given = await many(() => approvals.answer(owner, 'q1', yes(['b'])))
    assert.deepEqual(
      given.map(({ length }) => length).sort((a, b) => a - b),
      [0, 0, 0, 0, 0, 0, 0, 2],
    )
    assert.deepEqual(await states(store), ['denied', 'allowed'])
    assert.deepEqual(await approvals.answer(owner, 'q1', yes([])), [])
    assert.deepEqual(await approvals.close(owner, ['a', 'b'], 'void'), [])
    assert.deepEqual(await states(store), ['denied', 'allowed'])
  })

  test(`${engine}: an answer decides about the calls it is about, and the others wait on`, async () => {
    await using store = await open()
    const { approvals } = store
    await approvals.add(owner, [row('a'), row('b', { position: 1 }), row('c', { position: 2 })])
    const first = await approvals.answer(owner, 'q1', { ...yes(['a']), among: ['a', 'b'] })
    assert.deepEqual(
      first.map(({ digest }) => digest),
      ['a', 'b'],
    )
    assert.deepEqual(await states(store), ['allowed', 'denied', 'pending'])
    assert.deepEqual(await approvals.answer(owner, 'q1', { ...yes([]), among: [] }), [])
    await approvals.answer(owner, 'q1', yes([]))
    assert.deepEqual(await states(store), ['allowed', 'denied', 'denied'])
  })

  test(`PLAN-1: ${engine}: of many calls of a plan as many are counted as it allows, each once`, async () => {
    await using store = await open()
    const { approvals } = store
    await approvals.add(owner, [row('a'), row('b', { position: 1 })])
    const use = (callId: string, node = 'n') => ({ approval: 'a', node, callId, times: 3 })
    assert.equal(await approvals.usePlan(owner, use('c0'), NOW), false)
    await approvals.answer(owner, 'q1', yes(['a']))
    assert.deepEqual(
      (await approvals.allowed(owner, NOW)).map(({ digest }) => digest),
      ['a'],
    )
    assert.deepEqual(await approvals.allowed(stranger, NOW), [])
    assert.deepEqual(await approvals.allowed(owner, NOW + 300), [])
    let calls = 0
    const taken = await many(() => approvals.usePlan(owner, use(`c${++calls}`), NOW))
    assert.equal(taken.filter(Boolean).length, 3)
    const uses = await approvals.planUses(owner, 'a')
    assert.deepEqual([...uses.values()], ['n', 'n', 'n'])
    const [first = ''] = uses.keys()
    assert.equal(await approvals.usePlan(owner, use(first), NOW), true)
    assert.equal(await approvals.usePlan(owner, use(first, 'm'), NOW), false)
    assert.equal(await approvals.usePlan(owner, use('c9', 'm'), NOW), true)
    assert.equal(await approvals.usePlan(stranger, use('d', 'm'), NOW), false)
    assert.equal(await approvals.usePlan(owner, { ...use('d'), approval: 'b' }, NOW), false)
    assert.equal(await approvals.usePlan(owner, use('e', 'm'), NOW + 300), false)
    assert.equal((await approvals.planUses(owner, 'a')).size, 4)
  })

  test(`APPROVAL-2: ${engine}: of many who take what was allowed one gets it, in time`, async () => {
    await using store = await open()
    const { approvals } = store
    await approvals.add(owner, [row('a'), row('b', { position: 1 }), row('c', { position: 2 })])
    assert.equal(await approvals.spend(owner, 'a', NOW), false)
    await approvals.answer(owner, 'q1', yes(['a', 'c'], NOW + 100))
    assert.equal(await approvals.spend(owner, 'b', NOW), false)
    assert.equal(await approvals.spend(stranger, 'a', NOW), false)
    const taken = await many(() => approvals.spend(owner, 'a', NOW + 399))
    assert.equal(taken.filter(Boolean).length, 1)
    assert.equal(await approvals.spend(owner, 'c', NOW + 400), false)
    assert.deepEqual(await states(store), ['spent', 'denied', 'allowed'])
  })

  test(`${engine}: what waits too long is closed, counted no more, and forgotten in the end`, async () => {
    await using store = await open()
    const { approvals } = store
    const late = row('b', { question: 'q2', askedAt: NOW + 1, answerBy: NOW + 900 })
    await approvals.add(owner, [row('a'), row('a2', { position: 1 })])
    await approvals.add(owner, [late])
    assert.deepEqual(await approvals.load(owner, NOW, NOW - 1), { open: 2, asked: 2 })
    assert.deepEqual(await approvals.load(owner, NOW + 300, NOW), { open: 1, asked: 1 })
    const closed = await approvals.closeExpired(owner, NOW + 300)
    assert.deepEqual(closed.map(({ digest, state }) => `${digest} ${state}`).sort(), [
      'a expired',
      'a2 expired',
    ])
    assert.deepEqual(await approvals.close(owner, ['a', 'b'], 'void'), ['b'])
    assert.deepEqual(await approvals.load(owner, NOW, NOW - 1), { open: 0, asked: 2 })
    await approvals.forget(owner, NOW + 1)
    assert.deepEqual(
      (await approvals.newest(owner, 9)).map(({ digest }) => digest),
      ['b'],
    )
  })

  test(`${engine}: a grant is stored as it is, has so many uses, and ends when it is taken back`, async () => {
    await using store = await open()
    const { grants } = store
    const flow: Grant = { ...GRANT, id: 'g2', createdAt: NOW + 1, kind: 'flow', origin: 'notes' }
    await grants.add(GRANT)
    await grants.add(flow)
    const { max: _max, ...shared } = { max: 0, ...flow }
    assert.deepEqual(await grants.holding(owner, NOW), [GRANT, shared])
    assert.deepEqual(await grants.holding(stranger, NOW), [])
    assert.deepEqual(await grants.holding(owner, NOW + 1000), [])
    assert.equal(await grants.use(owner, 'g1', NOW + 1000), undefined)
    assert.equal(await grants.use(stranger, 'g1', NOW), undefined)
    const left = await many(() => grants.use(owner, 'g1', NOW))
    assert.deepEqual(
      left.filter((uses) => uses !== undefined).sort((a, b) => a - b),
      [0, 1, 2],
    )
    assert.deepEqual((await many(() => grants.revoke(owner, 'g2', NOW))).filter(Boolean), [true])
    assert.equal(await grants.use(owner, 'g2', NOW), undefined)
    assert.deepEqual(await grants.holding(owner, NOW), [])
  })

  test(`${engine}: a value is endorsed for a task until a time, and the last time counts`, async () => {
    await using store = await open()
    const { grants } = store
    const place = { taskId: 't1', server: 'mail', argument: 'to' }
    const one = { ...place, valueHash: 'h1', expiresAt: NOW + 10 }
    const elsewhere = [
      { ...one, server: 'bank' },
      { ...one, argument: 'cc' },
    ]
    await grants.endorse(owner, [one, { ...one, taskId: 't2' }, ...elsewhere])
    await grants.endorse(owner, [{ ...one, expiresAt: NOW + 20 }])
    await grants.endorse(owner, [])
    assert.equal((await grants.endorsements(owner, NOW)).length, 4)
    assert.deepEqual(await grants.endorsements(stranger, NOW), [])
    assert.deepEqual(await grants.endorsements(owner, NOW + 10), [{ ...one, expiresAt: NOW + 20 }])
    assert.deepEqual(await grants.endorsements(owner, NOW + 20), [])
  })
}
