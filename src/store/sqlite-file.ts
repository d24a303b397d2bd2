/**
 * The SQLite file. A new file gets its name only after it holds Cordon's application id, so an empty or unmarked file
 * is never a database under construction: it is damaged or belongs to another program, and is refused untouched.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, linkSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { chmod, open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteDamaged } from './sqlite-errors.ts'

/** "CORD": the application id in the file's header marks the file as Cordon's. */
const APPLICATION_ID = 0x434f5244
const PAGE_BYTES = 4096
/** A checkpoint waits for the disk while nothing else runs; a log of 16 MB makes it rare and takes hardly longer. */
const LOG_PAGES = 4000
/** Between the file's name and the random suffix of a draft. */
const DRAFT = '.new-'

export async function openSqliteFile(path: string): Promise<DatabaseSync> {
  if (!existsSync(path)) await createFile(path)
  removeDrafts(path)
  refuseCutShort(path)
  await chmod(path, 0o600) // SQLite gives its -wal and -shm files the same mode
  const database = new DatabaseSync(path, { timeout: 5000, defensive: true })
  try {
    // FULL: a committed change is on disk. Functions named in the file's schema are not trusted.
    // `secure_delete` overwrites deleted rows: a forgotten fact does not stay in a free page of the file.
    database.exec(
      `PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;
       PRAGMA wal_autocheckpoint = ${LOG_PAGES}`,
    )
    refuseDamaged(path, database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** SQLite detects missing pages, but takes an empty file for a new database and accepts a truncated last page. */
function refuseCutShort(path: string): void {
  const { size } = statSync(path)
  // With a write-ahead log the end of the file may be missing: opening it replays the log.
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

/**
 * Creates the file under a draft name, then links it. Of several processes one link succeeds, and all use that file.
 */
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

/** A draft is needed only until the file is in place, also the draft of another process. */
function removeDrafts(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    const isDraft = name.startsWith(`${basename(path)}${DRAFT}`)
    if (isDraft) rmSync(join(dirname(path), name), { force: true })
  }
}
