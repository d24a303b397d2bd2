/** SQLite: one file, one connection. What is committed is on disk when the call returns. */
import { Kysely, sql } from 'kysely'
import type { Engine, Query } from './engine.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'
import { explainSqliteError } from './sqlite-errors.ts'
import { openSqliteFile } from './sqlite-file.ts'
import type { Tables } from './tables.ts'

export async function openSqlite(path: string): Promise<Engine> {
  const explain = (error: unknown): never => {
    throw explainSqliteError(path, error)
  }
  const database = await openSqliteFile(path).catch(explain)
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(database) })
  const query: Query = (ask) => ask(db).catch(explain)
  return {
    kind: 'sqlite',
    query,
    exclusively: (work) =>
      query((db) =>
        db.connection().execute(async (connection) => {
          // Not Kysely's own `begin`: that one waits for nobody until the first write, and may then be too late.
          await sql`begin immediate`.execute(connection)
          try {
            await work(connection)
            await sql`commit`.execute(connection)
          } catch (error) {
            // SQLite has already undone it where the disk was full or failed.
            if (database.isTransaction) await sql`rollback`.execute(connection)
            throw error
          }
        }),
      ),
    async [Symbol.asyncDispose]() {
      await db.destroy()
      if (database.isOpen) database.close() // Kysely leaves a database alone that it was never asked to use
    },
  }
}
