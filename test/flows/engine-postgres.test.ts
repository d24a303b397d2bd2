/** Runs in PostgreSQL: cut connections, two processes at once, and values that its columns cannot hold unescaped. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { openPostgresLog } from '../../src/flows/runs/postgres-log.ts'
import type { ClaimedRun, Unwanted } from '../../src/flows/runs/run-log.ts'
import { parsePostgresUrl } from '../../src/store/postgres-url.ts'
import { openPostgres, type TestPostgres } from '../fixtures/postgres.ts'
import { becomes, until } from '../fixtures/until.ts'
import {
  addEffect,
  never,
  openEngineHouse,
  startOf,
  type TestTool,
  untilOver,
} from './engine-house.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-engine-postgres-'))
let server: TestPostgres
before(async () => {
  server = await openPostgres()
})
after(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** Text that JSON can express and a PostgreSQL column cannot hold: NUL and a lone surrogate. */
const ODD = 'a\u0000b \ud800 c'

const TOOLS: readonly TestTool[] = [
  { name: 'odd', effect: 'remote-read', run: () => ({ text: ODD }) },
  {
    name: 'note',
    effect: 'write',
    args: { text: 'content' },
    run({ args }) {
      addEffect(folder, JSON.stringify(args['text']))
      return null
    },
  },
  { name: 'slow', effect: 'remote-read', run: async () => await sleep(1500, null) },
]

test('two processes share the runs, and odd values come back as they were', async () => {
  const databaseUrl = await server.createDatabase()
  const open = () => openEngineHouse({ folder, databaseUrl, tools: TOOLS })
  const [first, second] = await Promise.all([open(), open()])
  const nodes = [
    { id: 'odd', type: 'box.odd' },
    { id: 'note', type: 'box.note', params: { text: '${odd.result.text}' } },
  ]
  const ids = Array.from({ length: 20 }, (_, at) => `run-${at}`)
  for (const id of ids) await first.flows.start(startOf(id, { nodes }), never)
  for (const id of ids) assert.equal((await untilOver(second.flows, id)).state, 'completed')
  assert.deepEqual(new Set(first.effects()), new Set([JSON.stringify(ODD)]))
  assert.equal(first.effects().length, ids.length)
  assert.deepEqual([...first.said, ...second.said], [])
  await first[Symbol.asyncDispose]()
  await second[Symbol.asyncDispose]()
})

test('a run goes on after all connections of its process were cut', async () => {
  const databaseUrl = await server.createDatabase()
  await using house = await openEngineHouse({ folder, databaseUrl, tools: TOOLS })
  const nodes = [
    { id: 'slow', type: 'box.slow' },
    { id: 'odd', type: 'box.odd' },
  ]
  await house.flows.start(startOf('cut', { nodes }), never)
  await sleep(300)
  const { host, database } = parsePostgresUrl(databaseUrl)
  const admin = postgres({ host, user: 'cordon', database, max: 1 })
  await admin`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${database} and pid <> pg_backend_pid()`
  await admin.end()
  const looks = async (): Promise<string> => {
    const run = await house.flows.show('cut').catch(() => undefined)
    return run?.state ?? 'unreachable'
  }
  await becomes(looks, 'completed')
})

test('a write that is under way while all connections are cut is not asked about', async () => {
  const databaseUrl = await server.createDatabase()
  const { host, database } = parsePostgresUrl(databaseUrl)
  const underWay = Promise.withResolvers<void>()
  const isBack = Promise.withResolvers<void>()
  const pay: TestTool = {
    name: 'pay',
    effect: 'write',
    async run() {
      underWay.resolve()
      await isBack.promise
      return null
    },
  }
  await using house = await openEngineHouse({ folder, databaseUrl, tools: [pay] })
  await house.flows.start(startOf('paid', { nodes: [{ id: 'pay', type: 'box.pay' }] }), never)
  await underWay.promise
  const admin = postgres({ host, user: 'cordon', database, max: 1 })
  const looks = async (): Promise<string> => {
    return await house.flows.show('paid').then(
      ({ state }) => state,
      () => 'unreachable',
    )
  }
  // Cuts connections until the house sees the database as unreachable, then waits until it is reachable again.
  await until(async () => {
    if ((await looks()) === 'unreachable') return true
    await admin`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${database} and pid <> pg_backend_pid()`
    return false
  })
  await admin.end()
  await until(async () => (await looks()) !== 'unreachable')
  isBack.resolve()
  const run = await untilOver(house.flows, 'paid')
  assert.equal(run.state, 'completed', JSON.stringify(run))
})

test('a write that is under way while the server has no connection left is not asked about', async () => {
  const databaseUrl = await server.createDatabase()
  const { host, database } = parsePostgresUrl(databaseUrl)
  const admin = postgres({ host, user: 'cordon', database, max: 1, onnotice: () => undefined })
  const role = `tight_${database}`
  await admin.unsafe(`CREATE ROLE "${role}" LOGIN; ALTER DATABASE "${database}" OWNER TO "${role}";
    GRANT ALL ON SCHEMA public TO "${role}"`)
  const underWay = Promise.withResolvers<void>()
  const hasRoom = Promise.withResolvers<void>()
  const pay: TestTool = {
    name: 'pay',
    effect: 'write',
    async run() {
      underWay.resolve()
      await hasRoom.promise
      return null
    },
  }
  const url = databaseUrl.replace('://cordon', `://${role}`)
  await using house = await openEngineHouse({ folder, databaseUrl: url, tools: [pay] })
  await house.flows.start(startOf('tight', { nodes: [{ id: 'pay', type: 'box.pay' }] }), never)
  await underWay.promise
  await admin.unsafe(`ALTER ROLE "${role}" CONNECTION LIMIT 0`)
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role}`
  const told = async (): Promise<string> =>
    await house.flows.show('tight').then(
      ({ state }) => state,
      (error: Error) => error.message,
    )
  await until(async () => (await told()).includes('it has no connection left'))
  hasRoom.resolve()
  await sleep(300) // the end of the call is written again and again meanwhile
  await admin.unsafe(`ALTER ROLE "${role}" CONNECTION LIMIT -1`)
  await admin.end()
  await until(async () => !(await told()).startsWith('Cannot'))
  const run = await untilOver(house.flows, 'tight')
  assert.equal(run.state, 'completed', JSON.stringify(run))
})

test('a released run can be claimed at once, even by a process whose clock is behind', async (t) => {
  const databaseUrl = await server.createDatabase()
  const began = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const held: TestTool = {
    name: 'held',
    effect: 'remote-read',
    async run() {
      began.resolve()
      await mayEnd.promise
      return null
    },
  }
  const nodes = [
    { id: 'held', type: 'box.held' },
    { id: 'odd', type: 'box.odd' },
  ]
  const open = () => openEngineHouse({ folder, databaseUrl, tools: [held, ...TOOLS] })
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3600_000 })
  const first = await open()
  await first.flows.start(startOf('given', { nodes }), never)
  await began.promise
  setTimeout(() => mayEnd.resolve(), 200)
  await first[Symbol.asyncDispose]()
  t.mock.timers.reset()
  await using second = await open()
  assert.equal((await untilOver(second.flows, 'given')).state, 'completed')
})

test('a run that two processes start at once is one run', async () => {
  const databaseUrl = await server.createDatabase()
  const open = () => openEngineHouse({ folder, databaseUrl, tools: TOOLS })
  const houses = await Promise.all([open(), open()])
  const ids = Array.from({ length: 50 }, (_, at) => `twice-${at}`)
  const nodes = [{ id: 'note', type: 'box.note', params: { text: '${n}' } }]
  const before = houses[0].effects().length
  for (const id of ids) {
    const start = { ...startOf(id, { nodes, inputs: { n: {} } }), inputs: { n: id } }
    await Promise.all(houses.map(({ flows }) => flows.start(start, never)))
  }
  for (const id of ids) assert.equal((await untilOver(houses[0].flows, id)).state, 'completed')
  assert.equal(houses[0].effects().length - before, ids.length)
  assert.equal((await houses[1].flows.runs({ limit: 1000 })).length, ids.length)
  for (const house of houses) await house[Symbol.asyncDispose]()
})

const ALL: Unwanted = { isScheduled: false, flows: [] }

test('how often a run was lost without progress is counted, and forgotten once it gets on', async () => {
  const target = parsePostgresUrl(await server.createDatabase())
  const runLog = await openPostgresLog(target, 'here')
  const admin = postgres({ host: target.host, user: 'cordon', database: target.database, max: 1 })
  await runLog.create({ id: 'r', flow: 'f', isScheduled: false, input: 'null' })
  const lose = async (): Promise<ClaimedRun> => {
    let run: ClaimedRun | undefined
    await until(async () => (run = await runLog.claim(60_000, ALL)) !== undefined)
    if (!run) assert.fail('nothing to claim')
    await admin`UPDATE cordon_flows.run SET due_at = now()`
    return run
  }
  const { claim: old } = await lose()
  const second = await lose()
  const third = await lose()
  assert.deepEqual([second.timesLost, third.timesLost], [1, 2])
  const step = (number: number, note: string) =>
    ({ number, name: `s${number}`, kind: 'step', note }) as const
  assert.ok(await runLog.add(third.claim, [step(1, '{}')], step(2, JSON.stringify(ODD))))
  assert.ok(!(await runLog.add(old, [], step(3, '{}'))))
  assert.ok(!(await runLog.end(old, 2, 'done', 'null')))
  assert.ok(!(await runLog.renew(old, 60_000)))
  assert.ok(!(await runLog.settle(old, { state: 'failed', outcome: 'null' })))
  const steps = await runLog.steps('r')
  assert.deepEqual(
    steps.map(({ number, state, note }) => [number, state, note]),
    [
      [1, 'begun', {}],
      [2, 'begun', ODD],
    ],
  )
  assert.deepEqual([(await lose()).timesLost, (await lose()).timesLost], [1, 2])
  await admin.end()
  await runLog.close()
})

test('a parked run is claimed when its time has come or its question is answered, and not before', async () => {
  const runLog = await openPostgresLog(parsePostgresUrl(await server.createDatabase()), 'here')
  const create = (id: string, isScheduled: boolean) =>
    runLog.create({ id, flow: `flow of ${id}`, isScheduled, input: 'null' })
  const claim = async (unwanted = ALL): Promise<ClaimedRun | undefined> =>
    await runLog.claim(60_000, unwanted)
  await create('nightly', true)
  await create('typed', false)
  assert.equal((await claim({ isScheduled: true, flows: ['flow of typed'] }))?.id, undefined)
  const typed = (await claim()) ?? assert.fail()
  assert.equal(typed.id, 'typed')
  assert.equal((await claim({ isScheduled: true, flows: [] }))?.id, undefined)
  const nightly = (await claim()) ?? assert.fail()
  await runLog.settle(nightly.claim, { state: 'open', delayMs: 3_600_000 })
  assert.equal(await claim(), undefined)
  assert.equal((await runLog.find('nightly'))?.isParked, true)
  const question = { number: 1, name: 'sure?', kind: 'question', note: '{}' } as const
  assert.ok(await runLog.add(typed.claim, [], question))
  assert.equal(await runLog.answer('typed', 'sure?', JSON.stringify(ODD)), true)
  assert.equal(await runLog.answer('typed', 'sure?', '2'), false)
  await runLog.settle(typed.claim, { state: 'open', delayMs: undefined })
  const again = (await claim()) ?? assert.fail()
  assert.equal(await runLog.answerTo(again.claim, 1), JSON.stringify(ODD))
  await runLog.settle(again.claim, { state: 'open', delayMs: undefined })
  assert.equal(await claim(), undefined)
  const ids = async (query: object): Promise<string> =>
    (await runLog.list({ limit: 10, ...query })).map(({ id }) => id).join(' ')
  await runLog.cancel('nightly')
  assert.equal(await ids({}), 'typed nightly')
  assert.equal(await ids({ state: 'cancelled' }), 'nightly')
  assert.equal(await ids({ flow: 'flow of typed' }), 'typed')
  assert.equal(await ids({ since: Date.now() + 3_600_000 }), '')
  assert.equal(await ids({ before: (await runLog.find('typed'))?.cursor }), 'nightly')
  assert.equal(await runLog.tidySome(-3_600_000), false)
  assert.equal(await ids({}), 'typed')
  await runLog.close()
})
