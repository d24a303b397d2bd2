/**
 * One writer per home. The lock is a POSIX record lock on `run/writer.lock`, which the kernel releases the moment its
 * holder dies: there is no stale lock to recover, so no two processes can both recover one, and the lock also holds
 * between containers that cannot see each other's pids. Node has no call for record locks, but its SQLite has.
 *
 * Closing any descriptor of that file would release the lock of the whole process (fcntl(2)), so no other code may open
 * it. `run/cordon.lock` beside it only names the holder.
 */
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { CordonError } from '../kernel/error.ts'
import { errnoOf } from './disk-error.ts'
import { describeSelf, type Holder, readHolder } from './holder.ts'
import type { HomePaths } from './home-paths.ts'

/** How long to wait until a process that has just taken the lock has written its name down. */
const NAMELESS_MS = 1000
const SQLITE_BUSY = 5

export async function takeLock(paths: HomePaths): Promise<Disposable> {
  const deadline = performance.now() + NAMELESS_MS
  for (;;) {
    const lock = tryLock(paths.writer)
    if (lock) return hold(lock, paths)
    const holder = readHolder(paths.lock)
    if (holder?.alive) throw homeLocked(paths.home, holder)
    if (performance.now() > deadline) throw homeLocked(paths.home)
    await sleep(10)
  }
}

function hold(lock: DatabaseSync, paths: HomePaths): Disposable {
  const release = (): void => {
    if (!lock.isOpen) return
    try {
      rmSync(paths.lock, { force: true })
    } catch {
      // A name left behind does no harm: only the kernel's lock counts.
    }
    lock.close()
  }
  try {
    writeFileSync(`${paths.lock}.new`, describeSelf(), { mode: 0o600 })
    renameSync(`${paths.lock}.new`, paths.lock)
  } catch (error) {
    release()
    throw error
  }
  return { [Symbol.dispose]: release }
}

/** Never waits: exactly one of any number of attempts succeeds, and keeps the lock until the database is closed. */
function tryLock(path: string): DatabaseSync | undefined {
  createOnce(path)
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // Nothing is ever written: the journal stays in memory, the transaction stays open, the file stays empty.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE')
    return database
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw new CordonError(
      'home.lock',
      { exit: 5, hint: 'Put CORDON_HOME on a local disk that supports file locks' },
      `Cannot lock ${JSON.stringify(path)}`,
      error,
    )
  }
}

/** Opens the file only if it did not exist before: closing it would release the lock (see the header). */
function createOnce(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === SQLITE_BUSY
}

function homeLocked(home: string, holder?: Holder): CordonError {
  const who = holder ? `process ${holder.pid}` : 'a process that cannot be seen from here'
  return new CordonError(
    'home.locked',
    { exit: 4, hint: 'Use the running kernel (`cordon status`), or stop it with `cordon down`' },
    `Cannot open ${JSON.stringify(home)}: it is in use by ${who}`,
  )
}
