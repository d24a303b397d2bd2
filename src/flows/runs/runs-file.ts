/** The SQLite file of runs: its schema, and the checks before it is used. A file of another program is left as it is. */
import { chmodSync, closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { LONGEST_WAIT_MS } from './forward-clock.ts'
import { foreignRuns, newerRuns } from './run-errors.ts'

const BUSY_MS = 5000
/** The number of the schema below, in the file's header. */
const VERSION = 1
/**
 * A checkpoint waits for the disk while nothing else runs in the process. Most pages in the log are the same few, written
 * again and again, so one of 16 MB takes hardly longer than one of 4 MB, and comes a quarter as often.
 */
const LOG_PAGES = 4000

/**
 * `due_at` is null while a process works on the run, while the run only waits for an answer, and when it has ended.
 * `seen` is the progress on record when a process last died over the run, `lost` how many died since without any more.
 */
const SCHEMA = `
  CREATE TABLE run (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    flow TEXT NOT NULL,
    is_scheduled INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    due_at INTEGER,
    holder TEXT,
    is_answered INTEGER NOT NULL DEFAULT 0,
    claims INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,
    seen INTEGER NOT NULL DEFAULT 0,
    input TEXT NOT NULL,
    outcome TEXT
  ) STRICT;
  CREATE INDEX run_by_state ON run (state, number);
  CREATE INDEX run_by_flow ON run (flow, number);
  CREATE INDEX run_by_start ON run (started_at);
  CREATE INDEX run_due ON run (is_scheduled, due_at, number) WHERE due_at IS NOT NULL;
  CREATE INDEX run_ended ON run (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE step (
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    is_before INTEGER NOT NULL DEFAULT 0,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    note TEXT NOT NULL,
    result TEXT,
    PRIMARY KEY (run, number)
  ) STRICT, WITHOUT ROWID`

/** Beside the schema, so that it needs no number of its own: an older Cordon keeps it up and does not notice. */
const OPEN_QUESTIONS = `CREATE INDEX IF NOT EXISTS step_asks ON step (run, number)
  WHERE kind = 'question' AND state = 'begun'`

export function openRunsFile(path: string): DatabaseSync {
  if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600))
  chmodSync(path, 0o600)
  const database = new DatabaseSync(path, { timeout: BUSY_MS, defensive: true })
  try {
    // Incremental: pages of deleted runs are given back to the file system a few at a time.
    database.exec(
      `PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
       PRAGMA trusted_schema = OFF; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`,
    )
    refuseForeign(path, database)
    if (versionOf(database) === 0) {
      database.exec(`BEGIN; ${SCHEMA}; PRAGMA user_version = ${VERSION}; COMMIT`)
    }
    database.exec(OPEN_QUESTIONS)
    freeRuns(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** The name under which the file of a Cordon with another engine waits until its runs are imported. */
export function olderPath(path: string): string {
  return `${path}-older`
}

/**
 * Moves the file of a Cordon with another engine aside, with its write-ahead log as it is: written back first, a log of a
 * gigabyte would hold up the start. Returns the file open, so that its log need not be read a second time when the file is
 * attached; closed as the only connection, it would be written back after all.
 */
export function moveOlderAside(path: string): DatabaseSync | undefined {
  const older = olderPath(path)
  // The log is renamed first, so a log without a file is the trace of a process that died in between.
  const isHalfMoved = existsSync(`${older}-wal`) && !existsSync(older)
  const database = isHalfMoved ? undefined : openOlder(path)
  if (!isHalfMoved && !database) return undefined
  for (const part of PARTS) {
    if (existsSync(`${path}${part}`)) renameSync(`${path}${part}`, `${older}${part}`)
  }
  return database
}

/** The files of a database, the one that it is found by last. */
const PARTS = ['-wal', '-shm', ''] as const

export function removeOlder(path: string): void {
  for (const part of PARTS) rmSync(`${olderPath(path)}${part}`, { force: true })
}

function openOlder(path: string): DatabaseSync | undefined {
  if (!existsSync(path)) return undefined
  const database = new DatabaseSync(path, { timeout: BUSY_MS, defensive: true })
  try {
    if (hasTable(database, 'workflow_runs')) return database
  } catch (error) {
    database.close()
    throw error
  }
  database.close()
  return undefined
}

function refuseForeign(path: string, database: DatabaseSync): void {
  const version = versionOf(database)
  if (version > VERSION) throw newerRuns(path)
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  const isOurs = version === 0 ? isEmpty : hasTable(database, 'run') && hasTable(database, 'step')
  if (!isOurs) throw foreignRuns(path)
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
}

export function hasTable(database: DatabaseSync, name: string): boolean {
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
  return table.get(name) !== undefined
}

/**
 * Frees the runs that a process held when it died. A repeated try is no progress. Parked runs keep their time, except one
 * further away than any wait: the clock was set back since.
 */
function freeRuns(database: DatabaseSync): void {
  const latest = Date.now() + LONGEST_WAIT_MS
  database.prepare('UPDATE run SET due_at = 0 WHERE due_at > ?').run(latest)
  database.exec(
    `UPDATE run SET holder = NULL, due_at = 0, seen = record.seen,
       lost = CASE run.seen WHEN record.seen THEN lost + 1 ELSE 1 END
     FROM (
       SELECT held.number, count(DISTINCT name) + count(CASE step.state WHEN 'done' THEN 1 END) AS seen
       FROM run AS held LEFT JOIN step ON step.run = held.number
       WHERE held.state = 'running' AND held.holder IS NOT NULL GROUP BY held.number
     ) AS record
     WHERE run.number = record.number`,
  )
}

/** Rolled back if `work` throws or returns false. */
export function inTransaction(database: DatabaseSync, work: () => boolean): boolean {
  database.exec('BEGIN IMMEDIATE')
  try {
    const isDone = work()
    database.exec(isDone ? 'COMMIT' : 'ROLLBACK')
    return isDone
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK') // SQLite does so itself if the disk is full
    throw error
  }
}
