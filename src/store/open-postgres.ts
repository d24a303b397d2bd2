/**
 * PostgreSQL, for a deployment that several kernels share. A restart of the server fails only the queries under way.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import postgres, { type ISql, type Sql } from 'postgres'
import { CordonError } from '../kernel/error.ts'
import type { PostgresTarget } from '../text/postgres-target.ts'
import type { Engine } from './engine.ts'
import { createPostgresDialect } from './postgres-dialect.ts'
import { explainPostgresError } from './postgres-errors.ts'
import { parsePostgresUrl } from './postgres-url.ts'
import type { Tables } from './tables.ts'

/** Any number would do, as long as every Cordon uses the same: "CORDON". */
const MIGRATION_LOCK = 0x434f52444f4e

export function openPostgres(databaseUrl: string): Engine {
  const target = parsePostgresUrl(databaseUrl)
  const endings = new Set<Promise<void>>()
  let current = connect(target)

  async function explained<T>(ask: (pool: Pool) => Promise<T>): Promise<T> {
    const pool = current
    try {
      return await ask(pool)
    } catch (error) {
      const explanation = explainPostgresError(target, error)
      const known = explanation instanceof CordonError
      if (known && explanation.code === 'store.unreachable') replace(pool)
      throw explanation
    }
  }

  /** After a lost connection the driver (3.4.9) may keep one that waits for ever, so the whole pool is replaced. */
  function replace(pool: Pool): void {
    if (pool !== current) return
    current = connect(target)
    const ending = end(pool, 1).finally(() => endings.delete(ending))
    endings.add(ending)
  }

  return {
    kind: 'postgresql',
    query: (ask) => explained((pool) => ask(pool.db)),
    queryUnsynced: (ask) => explained((pool) => ask(pool.db)),
    stamp: () => undefined,
    exclusively: (work) =>
      explained(async (pool) => {
        await pool.client.begin(async (transaction) => {
          const db = speak(transaction)
          await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(db)
          await work(db)
        })
      }),
    async [Symbol.asyncDispose]() {
      await Promise.all([...endings, end(current, 5)])
    },
  }
}

interface Pool {
  readonly client: Sql
  readonly db: Kysely<Tables>
}

function connect(target: PostgresTarget): Pool {
  const client = postgres({
    ...target,
    max: 5,
    connect_timeout: 10,
    connection: { application_name: 'cordon' },
    fetch_types: false, // array types are not needed, and losing the connection during that query would end the process
    onnotice: () => undefined, // the driver would print notices
  })
  return { client, db: speak(client) }
}

function speak(client: ISql): Kysely<Tables> {
  return new Kysely({ dialect: createPostgresDialect(client) })
}

/**
 * Queries under way may finish; after `seconds` nobody waits for them any more. Without the driver's own time limit: a
 * connection that it (3.4.9) cuts while it is being made comes up later, and stays open.
 */
async function end({ client }: Pool, seconds: number): Promise<void> {
  const ended = client.end().catch(() => undefined)
  await Promise.race([ended, pause(seconds * 1000, undefined, { ref: false })])
}
