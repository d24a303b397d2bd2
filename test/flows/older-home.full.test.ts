/**
 * A home whose runs an older Cordon left, with a run that has no end and a write-ahead log of hundreds of megabytes: the
 * kernel starts, answers, and says what became of the run.
 */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { until } from '../fixtures/until.ts'
import { openKernels } from './two-kernels.ts'

const STEPS: number = rounds(400_000, 60_000)
const TIME = '2026-01-02T03:04:05.678Z'

/** The columns that the import reads. Values were JSON texts inside JSON columns. */
function writeOlder(file: string): void {
  const older = new DatabaseSync(file)
  older.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF;
    CREATE TABLE workflow_runs (id, status, idempotency_key, input, output, error, created_at, finished_at);
    CREATE TABLE step_attempts (workflow_run_id, step_name, kind, status, config, output, error, created_at,
      finished_at);
    CREATE INDEX steps_of_run ON step_attempts (workflow_run_id)`)
  const plan = {
    version: 1,
    flow: 'endless',
    ir: {},
    nodes: {},
    options: { principal: { id: 'x' } },
  }
  older
    .prepare('INSERT INTO workflow_runs VALUES (?, ?, ?, ?, NULL, NULL, ?, NULL)')
    .run('1', 'running', 'endless', JSON.stringify(JSON.stringify(plan)), TIME)
  older.exec(`INSERT INTO step_attempts
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${STEPS})
    SELECT '1', 's' || i, 'function', 'completed', printf('%.*c', 2000, 'x'), NULL, NULL, '${TIME}', '${TIME}' FROM n`)
  // As after kill -9: the last connection to close would write the log back.
  for (const part of ['', '-wal']) copyFileSync(`${file}${part}`, `${file}-killed${part}`)
  older.close()
}

test('a home with a run without an end from before starts, and says what became of it', async (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-older-home-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'runs.db')
  writeOlder(file)
  await using kernels = openKernels()
  const home = kernels.homeOf('home')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  for (const part of ['', '-wal']) {
    copyFileSync(`${file}-killed${part}`, path.join(home, `runs.db${part}`))
  }
  const megabytes = Math.round(statSync(`${file}-killed-wal`).size / 1e6)
  const began = performance.now()
  const { api } = await kernels.start({ name: 'home', hasNothing: true })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  context.diagnostic(`${STEPS} steps, ${megabytes} MB of log: answered after ${seconds} s`)
  const { state, problem } = await api.call('flows.show', { id: 'endless' })
  assert.deepEqual([state, problem?.code], ['failed', 'flows.too-many-steps'])
  await until(async () => (await api.call('flows.runs', { limit: 1 })).runs.length === 1)
})
