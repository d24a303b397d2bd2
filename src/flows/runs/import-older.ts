/**
 * Imports the runs of a Cordon that kept them in tables of openworkflow. Open runs are imported when the file is opened,
 * since they are resumed; the others follow in the background. The older file is deleted when nothing is left in it.
 *
 * A question that was open is not imported: the run is resumed, finds the call that has no end, and asks again.
 */
import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { inTransaction, olderPath, removeOlder } from './runs-file.ts'

/** Runs that are imported at once. */
const BATCH = 20
/** A run has far fewer steps now. One with more would hold up the start of Cordon, and is imported as failed. */
const MOST_STEPS = 20_000

/** "CORD" in the header of the file: the open runs of an older file were imported. */
const IMPORTED = 0x434f5244

const TOO_LONG = JSON.stringify({
  code: 'flows.too-many-steps',
  message: 'Cannot go on with the run: an older Cordon let it take more steps than a run may have',
  hint: 'Look for the loop without an end with `cordon flow check`, and start the flow again',
})

export interface OlderRuns {
  /** Imports a few runs that have ended. False if none is left. */
  importSome(): boolean
  close(): void
}

const NONE: OlderRuns = { importSome: () => false, close: () => undefined }
const OPEN = "('pending', 'running', 'sleeping')"
const ms = (column: string): string => `CAST(unixepoch(${column}, 'subsec') * 1000 AS INTEGER)`
/** Values are JSON texts inside JSON columns. */
const text = (column: string, path = '$'): string => `json_extract(${column}, '${path}')`

const RUN = `
  INSERT OR IGNORE INTO main.run
    (id, flow, state, started_at, ended_at, due_at, claims, input, outcome)
  SELECT idempotency_key, ifnull(json_extract(${text('input')}, '$.flow'), ''),
    CASE WHEN status IN ${OPEN} THEN 'running' WHEN status IN ('completed', 'succeeded')
      THEN 'completed' WHEN status = 'failed' THEN 'failed' ELSE 'cancelled' END,
    ${ms('created_at')}, ${ms('finished_at')}, CASE WHEN status IN ${OPEN} THEN 0 END, 1,
    ${text('input')}, CASE status WHEN 'failed' THEN ${text('error', '$.message')}
      ELSE ${text('output')} END
  FROM older.workflow_runs WHERE id = ? AND idempotency_key IS NOT NULL RETURNING number`

const STEPS = `
  INSERT OR IGNORE INTO main.step
    (run, number, name, kind, state, is_before, started_at, ended_at, note, result)
  SELECT ?, json_extract(${text('config')}, '$.number'),
    CASE WHEN step_name LIKE 'before:%' THEN substr(step_name, 8) ELSE step_name END,
    CASE kind WHEN 'signal-wait' THEN 'question' ELSE 'step' END,
    CASE status WHEN 'running' THEN 'begun' WHEN 'failed' THEN 'failed' ELSE 'done' END,
    step_name LIKE 'before:%', ${ms('created_at')}, ${ms('finished_at')},
    ${text('config')} -> '$.note',
    CASE status WHEN 'running' THEN NULL WHEN 'failed' THEN ${text('error', '$.message')}
      ELSE ${text('output')} END
  FROM older.step_attempts
  WHERE workflow_run_id = ? AND NOT (kind = 'signal-wait' AND status = 'running')`

export function importOlder(path: string, database: DatabaseSync): OlderRuns {
  const file = olderPath(path)
  if (!existsSync(file)) return NONE
  // Read only: closed in the end, its log is deleted with it and not written back before.
  database.prepare('ATTACH ? AS older').run(`${pathToFileURL(file).href}?mode=ro`)
  const importOne = createImport(database)
  const open = database.prepare(`SELECT id FROM older.workflow_runs WHERE status IN ${OPEN}`)
  const ended = database.prepare(
    `SELECT id FROM older.workflow_runs WHERE id > ? AND status NOT IN ${OPEN} ORDER BY id LIMIT ${BATCH}`,
  )
  importOpen(database, open.all(), importOne)
  let last: string | undefined = ''
  return {
    importSome() {
      if (last === undefined) return false
      const ids = ended.all(last).map(({ id }) => String(id))
      inTransaction(database, () => {
        for (const id of ids) importOne(id)
        return true
      })
      last = ids.at(-1)
      if (last !== undefined) return true
      database.exec('DETACH older')
      removeOlder(path)
      return false
    },
    close: () => undefined,
  }
}

type ImportOne = (id: string) => void

function createImport(database: DatabaseSync): ImportOne {
  const run = database.prepare(RUN)
  const steps = database.prepare(STEPS)
  const count = database.prepare(
    'SELECT count(*) AS steps FROM older.step_attempts WHERE workflow_run_id = ?',
  )
  const fail = database.prepare(
    `UPDATE run SET state = 'failed', due_at = NULL, ended_at = ?, outcome = ?
     WHERE number = ? AND state = 'running'`,
  )
  return (id) => {
    const [row] = run.all(id)
    if (!row) return // imported before, by a process that died
    const number = Number(row['number'])
    if (Number(count.get(id)?.['steps']) <= MOST_STEPS) steps.run(number, id)
    else fail.run(Date.now(), TOO_LONG, number)
  }
}

/**
 * Once: a run that was cancelled and forgotten since must not come back. So the file gets its mark in the same
 * transaction.
 */
function importOpen(
  database: DatabaseSync,
  rows: readonly Record<string, unknown>[],
  importOne: ImportOne,
): void {
  const mark = database.prepare('PRAGMA main.application_id').get()?.['application_id']
  if (mark === IMPORTED) return
  inTransaction(database, () => {
    for (const { id } of rows) importOne(String(id))
    database.exec(`PRAGMA main.application_id = ${IMPORTED}`)
    return true
  })
}
