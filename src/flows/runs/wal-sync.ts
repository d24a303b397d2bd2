/**
 * Brings the write-ahead log of an SQLite file to disk: one sync runs at a time, on another thread, and all that was
 * committed before it starts shares it. SQLite's own sync at a commit would hold up everything else in the process. A sync
 * that failed is never tried again: the system may have dropped the data and would report success.
 */
import { open } from 'node:fs/promises'

/** How long a commit that is not urgent waits for a sync that it can share. */
const SOON_MS = 5

export interface WalSync {
  /** Resolves once everything that was committed before this call is on disk. */
  sync(): Promise<void>
  /** The same a little later: shares the next sync of another caller, and starts one if there is none for a while. */
  syncSoon(): Promise<void>
  close(): Promise<void>
}

/** The log is there as long as the database is open, and stays the same file. */
export async function openWalSync(databasePath: string): Promise<WalSync> {
  const log = await open(`${databasePath}-wal`, 'r+')
  return createWalSync(
    () => log.datasync(),
    () => log.close(),
  )
}

export function createWalSync(
  datasync: () => Promise<void>,
  close: () => Promise<void> = async () => undefined,
): WalSync {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let sharing: PromiseWithResolvers<void> | undefined
  const start = (): Promise<void> => {
    next = undefined
    clearTimeout(timer)
    const sharers = sharing
    sharing = undefined
    running = datasync()
    if (sharers) void running.then(sharers.resolve, sharers.reject)
    return running
  }
  // Begins when the one before has ended: a commit during a sync may not be part of it.
  const sync = (): Promise<void> => (next ??= running.then(start))
  return {
    sync,
    syncSoon() {
      if (next) return next
      if (!sharing) {
        sharing = Promise.withResolvers()
        timer = setTimeout(() => void sync().catch(sharing?.reject), SOON_MS)
      }
      return sharing.promise
    },
    async close() {
      if (sharing) await sync().catch(() => undefined)
      await running.catch(() => undefined)
      await close()
    },
  }
}
