/**
 * Background work on the SQLite file, a few milliseconds at a time, since nothing else runs in the process meanwhile:
 * imports runs of an older Cordon, deletes old runs, and gives free pages back to the file system.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { OlderRuns } from './import-older.ts'
import type { RunLog } from './run-log.ts'
import { inTransaction } from './runs-file.ts'

const MOST_MS = 8
/** Steps that one statement deletes: a run may have very many. */
const MOST_STEPS = 200
const FREED_PAGES = 64
/** When a run has ended that is being deleted: such a run is not reopened, and is the first to be gone on with. */
export const FORGOTTEN_AT = 0

export function createTidying(
  database: DatabaseSync,
  older: OlderRuns,
): Pick<RunLog, 'forget' | 'tidySome'> {
  const ended = database.prepare(
    'SELECT number, ended_at FROM run WHERE ended_at < ? ORDER BY ended_at LIMIT 1',
  )
  const mark = database.prepare(`UPDATE run SET ended_at = ${FORGOTTEN_AT} WHERE number = ?`)
  const one = database.prepare('SELECT number FROM run WHERE id = ? AND ended_at IS NOT NULL')
  const steps = database.prepare(
    `DELETE FROM step WHERE run = ? AND number <= ${MOST_STEPS} +
       (SELECT number FROM step WHERE run = ? ORDER BY number LIMIT 1)`,
  )
  const allSteps = database.prepare('DELETE FROM step WHERE run = ?')
  const run = database.prepare('DELETE FROM run WHERE number = ?')
  const free = database.prepare('PRAGMA freelist_count')
  /**
   * False if there is no such run left. The run itself goes last, so that its steps are found after a crash, and is marked
   * first: reopened without some of its steps, it would take those for calls that were never made.
   */
  const deleteSome = (before: number): boolean => {
    const old = ended.get(before)
    if (!old) return false
    const number = Number(old['number'])
    if (old['ended_at'] !== FORGOTTEN_AT) mark.run(number)
    const isMore = Number(steps.run(number, number).changes) > 0
    if (!isMore) run.run(number)
    return true
  }
  return {
    async forget(id) {
      const number = one.get(id)?.['number']
      if (number === undefined) return
      inTransaction(database, () => {
        allSteps.run(number)
        return run.run(number).changes > 0
      })
    },
    async tidySome(keptMs) {
      if (older.importSome()) return true
      const until = performance.now() + MOST_MS
      let isMore = true
      inTransaction(database, () => {
        while (isMore && performance.now() < until) isMore = deleteSome(Date.now() - keptMs)
        return true
      })
      if (isMore) return true
      if (Number(free.get()?.['freelist_count']) <= FREED_PAGES) return false
      database.exec(`PRAGMA incremental_vacuum(${FREED_PAGES})`)
      return true
    },
  }
}
