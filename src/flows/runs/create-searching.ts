/** Finds, lists and counts runs in the SQLite file. Each query reads the rows that it returns, and no others. */
import type { DatabaseSync } from 'node:sqlite'
import type { RunLog } from './run-log.ts'
import type { StoredRun } from './flow-runtime.ts'
import { type RunRow, storedRun } from './stored-run.ts'

/** The last run before a time. A condition on the time itself would read every run, to fill the last page. */
const BEFORE =
  'ifnull((SELECT number FROM run WHERE started_at < ? ORDER BY started_at DESC LIMIT 1), 0)'

export function createSearching(
  database: DatabaseSync,
): Pick<RunLog, 'find' | 'list' | 'countOpen'> {
  const find = database.prepare('SELECT * FROM run WHERE id = ?')
  const count = database.prepare("SELECT count(*) AS runs FROM run WHERE state = 'running'")
  return {
    async find(id) {
      const row = find.get(id)
      return row && readRow(row)
    },
    async list({ limit, state, flow, since, before }) {
      const wanted: readonly (readonly [string, string | number | undefined])[] = [
        ['state = ?', state],
        ['flow = ?', flow],
        [`number > ${BEFORE}`, since],
        ['number < ?', before === undefined ? undefined : Number(before)],
      ]
      const used = wanted.filter(([, value]) => value !== undefined)
      const where = used.map(([condition]) => condition).join(' AND ')
      const rows = database
        .prepare(
          `SELECT * FROM run ${where === '' ? '' : `WHERE ${where}`} ORDER BY number DESC LIMIT ?`,
        )
        .all(...used.map(([, value]) => value ?? null), limit)
      return rows.map(readRow)
    },
    countOpen: async () => Number(count.get()?.['runs']),
  }
}

function readRow(row: Record<string, unknown>): StoredRun {
  const due = row['due_at']
  const is_due = typeof due === 'number' && due <= Date.now()
  return storedRun({ ...(row as unknown as RunRow), is_due })
}
