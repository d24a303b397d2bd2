/** Runs in PostgreSQL: cut connections, two processes at once, and values that its columns cannot hold unescaped. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { openPostgresRuns } from '../../src/flows/runs/postgres-runs.ts'
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

test('how often a run was lost without progress is counted, and forgotten once it gets on', async () => {
  const target = parsePostgresUrl(await server.createDatabase())
  const table = await openPostgresRuns(target)
  const admin = postgres({ host: target.host, user: 'cordon', database: target.database, max: 1 })
  await table.create('r', 'null')
  const lose = async (): Promise<{ readonly id: string; readonly lost: number }> => {
    const run = (await table.claim('dead', 60_000)) ?? assert.fail('nothing to claim')
    await admin`UPDATE cordon_flows.workflow_runs SET available_at = NOW()`
    return { id: run.id, lost: (run.context as { lost: number } | null)?.lost ?? 0 }
  }
  const { id } = await lose()
  assert.deepEqual([(await lose()).lost, (await lose()).lost], [1, 2])
  const owner = { workflowRunId: id, workerId: 'dead' }
  const isWritten = await table.addSteps(owner, [
    { stepName: 'a', config: '{}' },
    { stepName: 'b', config: JSON.stringify(ODD) },
  ])
  assert.ok(isWritten)
  assert.ok(
    !(await table.addSteps({ ...owner, workerId: 'other' }, [{ stepName: 'c', config: '' }])),
  )
  const { data } = await table.backend.listStepAttempts({ workflowRunId: id })
  assert.deepEqual(Object.fromEntries(data.map(({ stepName, config }) => [stepName, config])), {
    a: '{}',
    b: JSON.stringify(ODD),
  })
  assert.deepEqual([(await lose()).lost, (await lose()).lost], [1, 2])
  await admin.end()
  await table.close()
})
