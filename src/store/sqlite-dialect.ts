/** A Kysely dialect for `node:sqlite`, through the few calls that Kysely makes to better-sqlite3. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { type Dialect, SqliteDialect, type SqliteStatement } from 'kysely'
import { remembered } from '../text/remembered.ts'

const LONGEST_STATEMENT = 4000
/** The tables that a statement writes to. Values are parameters, so no text of them is in it. */
const WRITES_TO = /\b(?:insert into|update|delete from) "(\w+)"/gi

/** Runs one statement that may write. */
export type Around = <T>(database: DatabaseSync, run: () => T) => T

export interface DialectOptions {
  readonly around?: Around
  /** Called after a statement that changed a row of the table. */
  readonly onChange?: (table: string) => void
}

export function createSqliteDialect(
  database: DatabaseSync,
  { around = (_database, run) => run(), onChange }: DialectOptions = {},
): Dialect {
  // Preparing a statement takes longer than running most of them, and a turn of a chat runs dozens.
  const prepare = remembered((text) => {
    const tables = [...text.matchAll(WRITES_TO)].map(([, table = '']) => table)
    const isRead = /^\s*select\b/i.test(text)
    const run = <T>(work: () => T, isChange: (result: T) => boolean): T => {
      const result = isRead ? work() : around(database, work)
      if (tables.length > 0 && isChange(result)) for (const table of tables) onChange?.(table)
      return result
    }
    return adapt(database.prepare(text), run)
  }, LONGEST_STATEMENT)
  return new SqliteDialect({ database: { prepare, close: () => database.close() } })
}

type Run = <T>(work: () => T, isChange: (result: T) => boolean) => T

function adapt(statement: StatementSync, run: Run): SqliteStatement {
  // Our own queries hold only text, whole numbers and null.
  const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[]
  return {
    reader: statement.columns().length > 0,
    all: (parameters) =>
      run(
        () => statement.all(...values(parameters)),
        (rows) => rows.length > 0,
      ),
    run: (parameters) =>
      run(
        () => statement.run(...values(parameters)),
        ({ changes }) => changes > 0,
      ),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  }
}
