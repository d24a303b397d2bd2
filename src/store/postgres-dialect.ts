/**
 * A Kysely dialect for `postgres`. Each query goes to any free connection; none is ever reserved, since the driver
 * (3.4.9) can end the whole process when the server cuts a reserved connection (porsager/postgres#1208). So this
 * dialect has no transactions: for those, pass in the connection that `begin` lends.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { ISql } from 'postgres'

export function createPostgresDialect(client: ISql): Dialect {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      // Our own queries hold only text, whole numbers and null.
      const values = parameters as (string | number | null)[]
      return { rows: await client.unsafe<Row[] & object[]>(sql, values, { prepare: true }) }
    },
    streamQuery(): never {
      throw new Error('No query of ours is streamed')
    },
  }
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new SharedConnection(connection),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

class SharedConnection extends DummyDriver {
  readonly #connection: DatabaseConnection

  constructor(connection: DatabaseConnection) {
    super()
    this.#connection = connection
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  override async beginTransaction(): Promise<void> {
    throw new Error('A transaction needs a connection of its own')
  }
}
