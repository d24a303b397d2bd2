/** Lists of runs, on both databases: what they tell of a run is what `flow show` tells, and they read no steps for it. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import postgres, { type Sql } from 'postgres'
import { listQuery as sqliteQuery } from '../../src/flows/runs/create-searching.ts'
import type { RunQuery } from '../../src/flows/runs/flow-runtime.ts'
import { openPostgresLog } from '../../src/flows/runs/postgres-log.ts'
import { listQuery as postgresQuery } from '../../src/flows/runs/postgres-searching.ts'
import { openSqliteLog } from '../../src/flows/runs/sqlite-log.ts'
import type { FlowRun, FlowTrace } from '../../src/ports/flow-port.ts'
import { parsePostgresUrl } from '../../src/store/postgres-url.ts'
import { openPostgres } from '../fixtures/postgres.ts'
import { type EngineHouse, never, startOf, type TestTool, untilState } from './engine-house.ts'
import { newPlace, openWithTools, READ } from './engine-tools.ts'

/** Reads, skips, computes, tries again, and then asks, since the answer of a change was lost. */
function longFlow(): { readonly nodes: readonly object[] } {
  const retried = { id: 'again', type: 'box.again', execution: { max_retries: 1, wait: 0 } }
  const skipped = { id: 'skipped', type: 'box.note', when: { left: 1, op: 'eq', right: 2 } }
  const made = { id: 'made', type: 'format', params: { template: 'x' } }
  return {
    nodes: [
      READ,
      { ...skipped, params: { text: 'a' } },
      made,
      retried,
      { id: 'lost', type: 'box.lost' },
    ],
  }
}

function oddTools(): readonly TestTool[] {
  let tries = 0
  return [
    {
      name: 'again',
      effect: 'remote-read',
      run: () =>
        ++tries % 2 === 1 ? { kind: 'failed', code: 'call.timeout', reason: 'late' } : 'x',
    },
    {
      name: 'lost',
      effect: 'write',
      run: () => ({ kind: 'failed', code: 'call.lost', reason: 'gone' }),
    },
  ]
}

async function told(house: EngineHouse, id: string): Promise<readonly [FlowRun, FlowTrace]> {
  const listed = (await house.flows.runs({ limit: 10 })).find((run) => run.id === id)
  return [listed ?? assert.fail('not listed'), await house.flows.show(id)]
}

const countOf = ({ steps }: FlowTrace): number =>
  steps.filter(({ state }) => state === 'done').length

/** `forget`: takes the sums from the runs that were cancelled, as an older Cordon left them. */
async function listsLikeShow(house: EngineHouse, forget: () => Promise<void>): Promise<void> {
  await house.flows.start(startOf('r', { ...longFlow() } as never), never)
  await untilState(house.flows, 'r', ({ state }) => state === 'asking')
  const [asking, open] = await told(house, 'r')
  assert.equal(asking.question?.kind, 'ambiguous')
  assert.deepEqual(asking.question, open.question)
  assert.deepEqual([asking.stepsDone, open.stepsDone, countOf(open)], [3, 3, 3])
  const listed = async (query: object) =>
    (await house.flows.runs({ limit: 10, ...query })).map(({ id }) => id)
  assert.deepEqual(await listed({ state: 'asking' }), ['r'])
  assert.deepEqual(await listed({ state: 'running' }), [])
  assert.deepEqual(await listed({ flow: asking.flow, since: Date.now() - 60_000 }), ['r'])
  assert.deepEqual(await listed({ state: 'asking', flow: 'other' }), [])
  assert.deepEqual(await listed({ since: Date.now() + 60_000 }), [])
  await house.flows.cancel('r')
  for (const change of [async () => undefined, forget]) {
    await change()
    const [listing, shown] = await told(house, 'r')
    assert.equal(listing.state, 'cancelled')
    assert.equal(listing.question, undefined)
    assert.deepEqual([listing.stepsDone, shown.stepsDone], [3, 3])
  }
}

test('a list tells of a run what `show` tells of it, in a file', async () => {
  const folder = newPlace()
  await using house = await openWithTools({ folder }, oddTools())
  await listsLikeShow(house, async () => {
    using database = new DatabaseSync(path.join(folder, 'runs.db'))
    database.exec('UPDATE run SET outcome = NULL')
  })
})

test('a list tells of a run what `show` tells of it, in PostgreSQL', async () => {
  await using server = await openPostgres()
  const databaseUrl = await server.createDatabase()
  await using house = await openWithTools({ databaseUrl }, oddTools())
  await listsLikeShow(house, async () => {
    await withSql(databaseUrl, (sql) => sql`UPDATE cordon_flows.run SET outcome = NULL`)
  })
})

async function withSql<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const { host, database } = parsePostgresUrl(url)
  const sql = postgres({ host, user: 'cordon', database, max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

const RUNS = 20_000
const LIMIT = 20
/** The newest of a thousand flows ran 20 times; a run of 1,000 failed; one starts each second, the last one now. */
const NOW = Date.now()
const QUERIES: readonly Omit<RunQuery, 'limit'>[] = [
  {},
  { state: 'failed' },
  { flow: 'flow-7' },
  { since: NOW - 600_000 },
  { since: NOW + 60_000 },
  { flow: 'flow-7', since: NOW - 3_600_000 },
  { state: 'failed', since: NOW - 3_600_000 },
  { state: 'running' },
]

test('PostgreSQL answers questions about runs by state, flow and time from indexes', async () => {
  await using server = await openPostgres()
  const url = await server.createDatabase()
  const runLog = await openPostgresLog(parsePostgresUrl(url), 'here')
  await runLog.close()
  await withSql(url, async (sql) => {
    await sql`INSERT INTO cordon_flows.run (id, flow, state, started_at, input)
      SELECT 'r' || n, 'flow-' || n % 1000, CASE n % 1000 WHEN 5 THEN 'failed' ELSE 'completed' END,
        ${new Date(NOW)}::timestamptz - (${RUNS}::int - n) * interval '1 second', 'null'
      FROM generate_series(1, ${RUNS}::int) AS n`
    await sql`INSERT INTO cordon_flows.step (run, number, name, kind, state, note)
      SELECT number, step, 's' || step, 'step', 'done', '{}' FROM cordon_flows.run, generate_series(1, 3) AS step`
    await sql`ANALYZE cordon_flows.run`
    for (const query of QUERIES) {
      const [row] = await sql<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }[]>`
        EXPLAIN (ANALYZE, FORMAT JSON) ${postgresQuery(sql, { ...query, limit: LIMIT })}`
      const plan = row?.['QUERY PLAN'][0].Plan ?? assert.fail('no plan')
      assert.ok(rowsRead(plan) <= 10 * LIMIT, JSON.stringify([query, plan]))
    }
  })
})

interface PlanNode {
  readonly Plans?: readonly PlanNode[]
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
}

function rowsRead(node: PlanNode): number {
  const { Plans = [], 'Rows Removed by Filter': removed = 0 } = node
  const own = (node['Actual Rows'] + removed) * node['Actual Loops']
  return own + Plans.reduce((sum, plan) => sum + rowsRead(plan), 0)
}

test('SQLite answers questions about runs by state, flow and time from indexes', async () => {
  const file = path.join(newPlace(), 'runs.db')
  await (await openSqliteLog(file)).close()
  using database = new DatabaseSync(file)
  for (const query of QUERIES) {
    const { text, values } = sqliteQuery({ ...query, limit: LIMIT })
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values)
    const lines = plan.map(({ detail }) => String(detail))
    // A list without a condition ends at its limit.
    const scans = lines.filter((line) => line.startsWith('SCAN'))
    assert.deepEqual(scans, Object.keys(query).length === 0 ? ['SCAN run'] : [], lines.join('\n'))
    assert.ok(!lines.some((line) => line.includes('TEMP B-TREE')), lines.join('\n'))
    assert.ok(
      lines.some((line) => /^SEARCH step USING .*INDEX step_asks/.test(line)),
      lines.join('\n'),
    )
  }
})
