/** Lets Kysely speak to `node:sqlite`, by the few calls it would make to better-sqlite3. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { type Dialect, SqliteDialect, type SqliteStatement } from 'kysely'

export function createSqliteDialect(database: DatabaseSync): Dialect {
  return new SqliteDialect({
    database: {
      prepare: (text) => adapt(database.prepare(text)),
      close: () => database.close(),
    },
  })
}

function adapt(statement: StatementSync): SqliteStatement {
  // Kysely passes only what our own queries put in: text, whole numbers, null.
  const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[]
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  }
}
