/**
 * Runs that an older Cordon left in PostgreSQL, without their needs on record: a kernel that lacks their template or
 * their tool waits for one that has it, and says what is missing.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import type { FlowDeps } from '../../src/flows/flow-deps.ts'
import { openPostgresLog } from '../../src/flows/runs/postgres-log.ts'
import { parsePrincipalId, type Principal } from '../../src/kernel/principal.ts'
import type { Template } from '../../src/kernel/tool-call.ts'
import { parsePostgresUrl } from '../../src/store/postgres-url.ts'
import { openPostgres, type TestPostgres } from '../fixtures/postgres.ts'
import { until } from '../fixtures/until.ts'
import { type EngineHouse, never, startOf, type TestTool, untilOver } from './engine-house.ts'
import { newPlace, openWithTools } from './engine-tools.ts'

let server: TestPostgres
before(async () => {
  server = await openPostgres()
})
after(async () => await server[Symbol.asyncDispose]())

const CRON: Principal = { kind: 'cron', id: parsePrincipalId('principal:cron:digest') }
const TEMPLATE: Template = {
  name: 'nightly',
  allowed: ['box.*'],
  denied: [],
  maxCalls: 5,
  ceiling: 'internal',
  sinks: ['sink:owner'],
  asksForWrites: false,
}
const LOOK: TestTool = { name: 'look', effect: 'remote-read', run: () => ({ seen: 1 }) }
const WITH_TEMPLATE = { home: 'a:/home', template: async () => TEMPLATE }

async function openHouse(
  databaseUrl: string,
  rooms: Partial<FlowDeps>,
  tools: readonly TestTool[],
): Promise<EngineHouse> {
  return await openWithTools({ folder: newPlace(), databaseUrl, rooms }, tools)
}

function connect(databaseUrl: string): Sql {
  const { host, database } = parsePostgresUrl(databaseUrl)
  return postgres({ host, user: 'cordon', database, max: 1, onnotice: () => undefined })
}

/** The plan of a run within a template, as it is stored. */
async function storedPlan(): Promise<string> {
  const databaseUrl = await server.createDatabase()
  await using house = await openHouse(databaseUrl, WITH_TEMPLATE, [LOOK])
  const nodes = [{ id: 'look', type: 'box.look' }]
  await house.flows.save('digest', { kind: 'ir', ir: { nodes } }, false)
  const source = { kind: 'saved', name: 'digest' } as const
  await house.flows.start(startOf('r', {}, { principal: CRON, template: 'nightly', source }), never)
  await untilOver(house.flows, 'r')
  const admin = connect(databaseUrl)
  const [row] = await admin<{ input: string }[]>`SELECT input FROM cordon_flows.run`
  await admin.end()
  return row?.input ?? ''
}

/** The columns that the import reads. Values were JSON texts inside JSON columns. */
async function leaveOlder(sql: Sql, plan: string): Promise<void> {
  await sql.unsafe(`CREATE SCHEMA cordon_flows; SET search_path TO cordon_flows;
    CREATE TABLE workflow_runs (id text, status text, idempotency_key text, input jsonb, output jsonb, error jsonb,
      created_at timestamptz DEFAULT now(), finished_at timestamptz);
    CREATE TABLE step_attempts (workflow_run_id text, step_name text, kind text, status text, config jsonb,
      output jsonb, error jsonb, created_at timestamptz, finished_at timestamptz);
    CREATE TABLE workflow_signals (id text)`)
  const input = JSON.stringify(plan)
  await sql`INSERT INTO workflow_runs (id, status, idempotency_key, input)
    VALUES ('1', 'running', 'old', ${input}::text::jsonb)`
}

/** The schema before runs had needs. */
async function leaveFirst(sql: Sql, plan: string, databaseUrl: string): Promise<void> {
  await (await openPostgresLog(parsePostgresUrl(databaseUrl), '')).close()
  await sql.unsafe(`ALTER TABLE cordon_flows.run DROP COLUMN needs, DROP COLUMN lacks, DROP COLUMN kernel,
    DROP COLUMN asks, DROP COLUMN reply; UPDATE cordon_flows.version SET number = 1`)
  await sql`INSERT INTO cordon_flows.run (id, flow, state, input, due_at)
    VALUES ('old', 'digest', 'running', ${plan}, to_timestamp(0))`
}

for (const [what, leave] of [
  ['imported from openworkflow', leaveOlder],
  ['of the first schema', leaveFirst],
] as const) {
  for (const lacks of ['template', 'tool'] as const) {
    test(`a run ${what} whose ${lacks} a kernel lacks is not claimed again and again, and waits for another`, async () => {
      const databaseUrl = await server.createDatabase()
      const admin = connect(databaseUrl)
      await leave(admin, await storedPlan(), databaseUrl)
      const rooms = lacks === 'tool' ? WITH_TEMPLATE : { home: 'b:/home' }
      await using lacking = await openHouse(databaseUrl, rooms, lacks === 'tool' ? [] : [LOOK])
      const shown = () => lacking.flows.show('old')
      await until(async () => (await shown()).waitsFor !== undefined)
      const said = { template: 'it has no template "nightly"', tool: 'it has no tool box.look' }
      assert.match((await shown()).waitsFor ?? '', new RegExp(said[lacks]))
      await pause(300)
      const [row] = await admin<{ claims: number }[]>`SELECT claims FROM cordon_flows.run`
      assert.ok(row && row.claims <= 2, `claimed ${row?.claims} times`)
      await using _able = await openHouse(databaseUrl, WITH_TEMPLATE, [LOOK])
      await until(async () => {
        // As after the pause, until the other kernel is the one that claims it.
        await admin`UPDATE cordon_flows.run SET due_at = to_timestamp(0) WHERE holder IS NULL AND state = 'running'`
        return (await shown()).endedAt !== undefined
      })
      await admin.end()
      const { state, problem } = await shown()
      assert.deepEqual([state, problem], ['completed', undefined])
    })
  }
}
