/** SQLite: one file, one connection. A committed change is on disk when the call returns, unless it is unsynced. */
import { Kysely, sql } from 'kysely'
import type { Engine, Query } from './engine.ts'
import { type Around, createSqliteDialect } from './sqlite-dialect.ts'
import { explainSqliteError } from './sqlite-errors.ts'
import { openSqliteFile } from './sqlite-file.ts'
import type { Tables } from './tables.ts'

/**
 * Writes with this setting of `synchronous`, which is changed only where the last write had another: most writes of a
 * chat are unsynced. The next synced write brings those to disk too.
 */
function createLevels(): (level: 'FULL' | 'NORMAL') => Around {
  let current = 'FULL' // as `openSqliteFile` sets it
  return (level) => (database, write) => {
    if (current !== level) database.exec(`PRAGMA synchronous = ${level}`)
    current = level
    return write()
  }
}

export async function openSqlite(path: string): Promise<Engine> {
  const explain = (error: unknown): never => {
    throw explainSqliteError(path, error)
  }
  const database = await openSqliteFile(path).catch(explain)
  const changes = new Map<string, number>()
  const onChange = (table: string): void => {
    changes.set(table, (changes.get(table) ?? 0) + 1)
  }
  const writeAt = createLevels()
  const db = new Kysely<Tables>({
    dialect: createSqliteDialect(database, { around: writeAt('FULL'), onChange }),
  })
  const unsynced = new Kysely<Tables>({
    dialect: createSqliteDialect(database, { around: writeAt('NORMAL'), onChange }),
  })
  const query: Query = (ask) => ask(db).catch(explain)
  return {
    kind: 'sqlite',
    query,
    queryUnsynced: (ask) => ask(unsynced).catch(explain),
    stamp: (tables) => tables.map((table) => changes.get(table) ?? 0).join(' '),
    exclusively: (work) =>
      query((db) =>
        db.connection().execute(async (connection) => {
          // Not Kysely's `begin` (deferred): that takes the lock at the first write, and may then fail as busy.
          await sql`begin immediate`.execute(connection)
          try {
            await work(connection)
            await sql`commit`.execute(connection)
          } catch (error) {
            // After a full disk or an I/O error SQLite has already rolled back.
            if (database.isTransaction) await sql`rollback`.execute(connection)
            throw error
          }
        }),
      ),
    async [Symbol.asyncDispose]() {
      await db.destroy()
      if (database.isOpen) database.close() // Kysely does not close a database that it never used
    },
  }
}
