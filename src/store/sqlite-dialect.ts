/** A Kysely dialect for `node:sqlite`, through the few calls that Kysely makes to better-sqlite3. */
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
  // Our own queries hold only text, whole numbers and null.
  const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[]
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  }
}
