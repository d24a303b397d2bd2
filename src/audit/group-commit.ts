/**
 * Group commit: one sync runs at a time, and all records written before it starts share it. A sync that failed is never
 * tried again: the system may have dropped the data and would report success.
 */
import { CordonError } from '../kernel/error.ts'
import type { Log } from '../kernel/ports.ts'

export interface GroupCommit {
  /** Resolves after a sync that started after this call. */
  commit(): Promise<void>
  /** Starts a sync within the delay, without a caller that waits for it. */
  commitSoon(): void
  /** Set once a sync has failed: from then on no record may be acknowledged. */
  readonly failure: CordonError | undefined
}

export function createGroupCommit(
  sync: () => Promise<void>,
  delayMs: number,
  log: Log,
): GroupCommit {
  let waiting: PromiseWithResolvers<void> | undefined
  let running = false
  let timer: NodeJS.Timeout | undefined
  let failure: CordonError | undefined

  async function syncOnce(): Promise<void> {
    if (failure) throw failure
    try {
      await sync()
    } catch (cause) {
      failure = syncFailed(cause)
      log.error(failure.message, { cause })
      throw failure
    }
  }

  async function run(): Promise<void> {
    running = true
    while (waiting) {
      await Promise.resolve() // records written in the same microtask share the sync
      const batch = waiting
      waiting = undefined
      clearTimeout(timer)
      timer = undefined
      await syncOnce().then(batch.resolve, batch.reject)
    }
    running = false
  }

  function commit(): Promise<void> {
    waiting ??= Promise.withResolvers<void>()
    const { promise } = waiting
    if (!running) void run()
    return promise
  }

  return {
    commit,
    commitSoon() {
      if (timer || waiting) return
      const ignore = () => {} // the failure is logged, and the next append is refused
      timer = setTimeout(() => void commit().catch(ignore), delayMs).unref()
    },
    get failure() {
      return failure
    },
  }
}

function syncFailed(cause: unknown): CordonError {
  return new CordonError(
    'audit.sync-failed',
    { exit: 5, hint: 'Check the disk, then run `cordon down` and `cordon audit verify`' },
    'Cannot bring the audit log to disk; nothing more is written to it',
    cause,
  )
}
