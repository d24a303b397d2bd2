/**
 * The SQLite file itself. A new one appears under its name complete with its mark, so an empty or unmarked file is never
 * a database that is about to begin: it is damaged or someone else's, and is refused as it is.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, linkSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { chmod, open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteDamaged } from './sqlite-errors.ts'

/** "CORD": says in the file's header whose it is. */
const APPLICATION_ID = 0x434f5244
const PAGE_BYTES = 4096
/** Between the name of the file and what makes a draft's own name unique. */
const DRAFT = '.new-'

export async function openSqliteFile(path: string): Promise<DatabaseSync> {
  if (!existsSync(path)) await createFile(path)
  removeDrafts(path)
  refuseCutShort(path)
  await chmod(path, 0o600) // SQLite gives its -wal and -shm files the same mode
  const database = new DatabaseSync(path, { timeout: 5000, defensive: true })
  try {
    // FULL: what is committed is on disk. Functions named in the file's schema are not trusted.
    database.exec('PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF')
    refuseDamaged(path, database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** SQLite notices missing pages, but takes an empty file for a new one and a page without its end for a whole one. */
function refuseCutShort(path: string): void {
  const { size } = statSync(path)
  // With a log beside it, the end of the file may rightly be missing: opening completes it.
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  const complete = size % PAGE_BYTES === 0 || (log !== undefined && log.size > 0)
  if (size === 0 || !complete) throw sqliteDamaged(path, `it has ${size} bytes`)
}

function refuseDamaged(path: string, database: DatabaseSync): void {
  const { application_id: mark } = database.prepare('PRAGMA application_id').get() ?? {}
  if (mark !== APPLICATION_ID) throw sqliteDamaged(path, 'the mark of Cordon is missing')
  const { quick_check: finding } = database.prepare('PRAGMA quick_check(1)').get() ?? {}
  if (finding !== 'ok') throw sqliteDamaged(path, String(finding))
}

/** Complete under another name first. Of several processes at once one puts its file in place; the others use it. */
async function createFile(path: string): Promise<void> {
  const draft = `${path}${DRAFT}${randomUUID()}`
  try {
    writeEmptyDatabase(draft)
    linkSync(draft, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    rmSync(draft, { force: true })
  }
  await using folder = await open(dirname(path), 'r')
  await folder.sync()
}

function writeEmptyDatabase(path: string): void {
  closeSync(openSync(path, 'wx', 0o600))
  using database = new DatabaseSync(path)
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA application_id = ${APPLICATION_ID}`)
  database.exec('PRAGMA journal_mode = WAL')
}

/** Once the file is in place no draft is needed any more, whoever began it. */
function removeDrafts(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    const isDraft = name.startsWith(`${basename(path)}${DRAFT}`)
    if (isDraft) rmSync(join(dirname(path), name), { force: true })
  }
}
