/** A store with many finished runs, and many that wait: opening, searching, starting and idling. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSqliteLog } from '../../src/flows/runs/sqlite-log.ts'
import type { Json } from '../../src/text/json.ts'
import { type EngineHouse, never, openEngineHouse, startOf } from '../../test/flows/engine-house.ts'
import { quantile } from '../report.ts'
import { runToEnd, TOOLS } from './bench-runs.ts'

const FINISHED = 100_000
const PARKED = 1000
const STEPS = 5

export interface History {
  readonly openMs: number
  readonly failedMs: number
  readonly startMs: number
  readonly emptyStartMs: number
  readonly fileMb: number
  /** The share of one core while a thousand runs wait for an answer. */
  readonly parkedShare: number
}

export async function measureHistory(ir: Json): Promise<History> {
  const empty = mkdtempSync(path.join(tmpdir(), 'cordon-bench-empty-'))
  const full = mkdtempSync(path.join(tmpdir(), 'cordon-bench-full-'))
  try {
    await using fresh = await openEngineHouse({ folder: empty, tools: TOOLS })
    const emptyStartMs = await startTimes(fresh, ir)
    const fileMb = await fill(path.join(full, 'runs.db'), empty)
    const began = performance.now()
    const log = await openSqliteLog(path.join(full, 'runs.db'))
    const openMs = performance.now() - began
    await log.close()
    await using house = await openEngineHouse({ folder: full, tools: TOOLS })
    const failedMs = await timed(() => house.flows.runs({ limit: 20, state: 'failed' }))
    const startMs = await startTimes(house, ir)
    const parkedShare = await idleShare()
    return { openMs, failedMs, startMs, emptyStartMs, fileMb, parkedShare }
  } finally {
    for (const folder of [empty, full]) rmSync(folder, { recursive: true })
  }
}

async function startTimes(house: EngineHouse, ir: Json): Promise<number> {
  const times: number[] = []
  for (let at = 0; at < 40; at += 1) {
    const id = `start-${at}`
    times.push(await timed(() => house.flows.start(startOf(id, ir), never)))
    await runToEnd(house, ir)
  }
  return quantile(times, 0.5)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function idleShare(): Promise<number> {
  const seconds = 10
  const before = process.cpuUsage()
  await sleep(seconds * 1000)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6 / seconds
}

/** Copies one real run very often, one in a hundred as failed, and adds runs that wait for an answer. */
async function fill(file: string, from: string): Promise<number> {
  await (await openSqliteLog(file)).close()
  using database = new DatabaseSync(file)
  database.prepare('ATTACH ? AS source').run(path.join(from, 'runs.db'))
  const copy = `input FROM source.run WHERE state = 'completed' ORDER BY number LIMIT 1`
  const counted = (most: number): string =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${most})`
  const now = Date.now()
  database.exec(`BEGIN;
    CREATE TEMP TABLE one AS SELECT ${copy};
    ${counted(FINISHED)} INSERT INTO run (id, flow, state, started_at, ended_at, claims, input, outcome)
      SELECT 'old-' || i, 'flow ' || (i % 50), CASE i % 100 WHEN 0 THEN 'failed' ELSE 'completed' END,
        ${now} - 1000000 + i, ${now} - 1000000 + i, 1, one.input, '{"stepsDone":5,"whole":null}' FROM n, one;
    ${counted(STEPS)} INSERT INTO step (run, number, name, kind, state, started_at, ended_at, note, result)
      SELECT run.number, i, 's' || i, 'step', 'done', started_at, started_at,
        '{"node":"s","round":1,"kind":"call","at":"2026","args":[]}', '{"kind":"value","value":null,"outputs":[]}'
      FROM run, n;
    ${counted(PARKED)} INSERT INTO run (id, flow, state, started_at, claims, input)
      SELECT 'parked-' || i, 'parked', 'running', ${now}, 1, one.input FROM n, one;
    COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`)
  const pages = Number(database.prepare('PRAGMA main.page_count').get()?.['page_count'])
  return (pages * 4096) / 1e6
}
