/**
 * The clock of the store. With PostgreSQL it is the clock of the database, which all kernels share: a kernel whose own
 * clock is ahead must not end the questions of the others, nor take their locks. Between two readings it goes on with the
 * monotonic clock, so a change of the system time does not move it.
 */
import { type Kysely, sql } from 'kysely'
import type { Engine } from './engine.ts'
import type { Tables } from './tables.ts'

const READ_MS = 10_000
/** A machine that was suspended: its monotonic clock stood still, and its wall clock did not. */
const SUSPENDED_MS = 2000

export interface DatabaseClock extends Disposable {
  /** Milliseconds since 1970. */
  now(): number
}

export async function openDatabaseClock({ kind, query }: Engine): Promise<DatabaseClock> {
  if (kind === 'sqlite') return { now: Date.now, [Symbol.dispose]: () => undefined }
  let last = await query(readClock)
  let isReading = false
  const readAgain = async (): Promise<void> => {
    if (isReading) return
    isReading = true
    // A database that is away: the monotonic clock goes on.
    last = await query(readClock).catch(() => last)
    isReading = false
  }
  const timer = setInterval(() => void readAgain(), READ_MS).unref()
  return {
    now() {
      const passed = performance.now() - last.steady
      if (Math.abs(Date.now() - last.wall - passed) > SUSPENDED_MS) void readAgain()
      return last.theirs + passed
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

interface Reading {
  readonly theirs: number
  readonly steady: number
  readonly wall: number
}

async function readClock(db: Kysely<Tables>): Promise<Reading> {
  const asked = performance.now()
  const query = sql<{
    now: number
  }>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`
  const { rows } = await query.execute(db)
  const steady = performance.now()
  // The database read its clock somewhere between question and answer.
  return { theirs: (rows[0]?.now ?? 0) + (steady - asked) / 2, steady, wall: Date.now() }
}
