/**
 * The `Locks` port on its table: a row per lock, with its holder and an expiry. The holder keeps extending the expiry;
 * a holder that died stops, and after 30 s the next process may take the lock.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Locks } from '../kernel/ports.ts'
import type { Query } from './engine.ts'

const COUNTS_MS = 30_000
const PROLONG_MS = 10_000
const ASK_AGAIN_MS = 25

export function createLocks(query: Query, clock: () => number): Locks {
  const table: LockTable = { query, clock }
  return {
    async exclusively(name, work, signal) {
      const holder = randomUUID()
      while (!(await take(table, name, holder))) {
        await pause(ASK_AGAIN_MS * (1 + Math.random()), undefined, { signal })
      }
      const prolonging = setInterval(() => {
        // A failed extension is ignored: the lock then expires, and another process may take it.
        prolong(table, name, holder).catch(() => undefined)
      }, PROLONG_MS).unref()
      try {
        return await work()
      } finally {
        clearInterval(prolonging)
        await release(table, name, holder)
      }
    },
  }
}

interface LockTable {
  readonly query: Query
  /** The time of the database, so that a process whose clock is ahead does not take a lock that holds. */
  readonly clock: () => number
}

async function take({ query, clock }: LockTable, name: string, holder: string): Promise<boolean> {
  return await query(async (db) => {
    const now = iso(clock())
    const until = iso(clock() + COUNTS_MS)
    await db
      .insertInto('lock')
      .values({ name, holder, until })
      .onConflict((row) =>
        row.column('name').doUpdateSet({ holder, until }).where('lock.until', '<', now),
      )
      .execute()
    const row = await db
      .selectFrom('lock')
      .select('holder')
      .where('name', '=', name)
      .executeTakeFirst()
    return row?.holder === holder
  })
}

/** Extends only a lock that is still held: a late extension must not bring back a released lock. */
async function prolong({ query, clock }: LockTable, name: string, holder: string): Promise<void> {
  await query(async (db) => {
    await db
      .updateTable('lock')
      .set({ until: iso(clock() + COUNTS_MS) })
      .where('name', '=', name)
      .where('holder', '=', holder)
      .execute()
  })
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

async function release({ query }: LockTable, name: string, holder: string): Promise<void> {
  await query(async (db) => {
    await db.deleteFrom('lock').where('name', '=', name).where('holder', '=', holder).execute()
  })
}
