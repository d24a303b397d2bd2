/** Finds, lists and counts runs in the SQLite file. Each query reads the rows that it returns, and no others. */
import type { DatabaseSync } from 'node:sqlite'
import type { RunLog } from './run-log.ts'
import type { RunQuery, StoredRun } from './flow-runtime.ts'
import { PURE, type RunRow, storedRun } from './stored-run.ts'

/**
 * With the open question of a run that goes on. Its index is named, since the planner would rather go through all steps
 * of the run in the order of their numbers.
 */
const COLUMNS = `*, CASE state WHEN 'running' THEN (
  SELECT note FROM step INDEXED BY step_asks
  WHERE step.run = run.number AND kind = 'question' AND step.state = 'begun'
  ORDER BY step.number LIMIT 1) END AS question`

/** The last run before a time. A condition on the time itself would read every run, to fill the last page. */
const BEFORE =
  'ifnull((SELECT number FROM run WHERE started_at < ? ORDER BY started_at DESC LIMIT 1), 0)'

export function createSearching(
  database: DatabaseSync,
): Pick<RunLog, 'find' | 'list' | 'countOpen' | 'stepsDone'> {
  const find = database.prepare(`SELECT ${COLUMNS} FROM run WHERE id = ?`)
  const count = database.prepare("SELECT count(*) AS runs FROM run WHERE state = 'running'")
  // A step that was tried again counts as its last try did; one that needed no call has no end on record.
  const done = database.prepare(
    `SELECT count(*) AS steps FROM (
       SELECT state, note, max(number) FROM step
       WHERE run = (SELECT number FROM run WHERE id = ?) AND kind = 'step' GROUP BY name
     ) WHERE state = 'done' OR (state = 'begun' AND instr(note, '${PURE}') > 0)`,
  )
  return {
    async find(id) {
      const row = find.get(id)
      return row && readRow(row)
    },
    async list(query) {
      const { text, values } = listQuery(query)
      return database
        .prepare(text)
        .all(...values)
        .map(readRow)
    },
    countOpen: async () => Number(count.get()?.['runs']),
    stepsDone: async (id) => Number(done.get(id)?.['steps']),
  }
}

interface ListQuery {
  readonly text: string
  readonly values: readonly (string | number)[]
}

export function listQuery({ limit, state, flow, since, before }: RunQuery): ListQuery {
  const wanted: readonly (readonly [string, string | number | undefined])[] = [
    ['state = ?', state],
    ['flow = ?', flow],
    [`number > ${BEFORE}`, since],
    ['number < ?', before === undefined ? undefined : Number(before)],
  ]
  const used = wanted.flatMap(([text, value]) => (value === undefined ? [] : [{ text, value }]))
  const where = used.map(({ text }) => text).join(' AND ')
  return {
    text: `SELECT ${COLUMNS} FROM run ${where === '' ? '' : `WHERE ${where}`} ORDER BY number DESC LIMIT ?`,
    values: [...used.map(({ value }) => value), limit],
  }
}

function readRow(row: Record<string, unknown>): StoredRun {
  const due = row['due_at']
  const is_due = typeof due === 'number' && due <= Date.now()
  return storedRun({ ...(row as unknown as RunRow), is_due })
}
