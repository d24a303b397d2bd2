/** The `DefinitionHashes` port on its table. */
import type { DefinitionHashes } from '../kernel/ports.ts'
import type { Query } from './engine.ts'

export function createDefinitionHashes(query: Query): DefinitionHashes {
  return {
    get: (owner, path) =>
      query(async (db) => {
        const row = await db
          .selectFrom('definition_hash')
          .select('hash')
          .where('principal', '=', owner)
          .where('path', '=', path)
          .executeTakeFirst()
        return row?.hash
      }),
    put: (owner, path, hash) =>
      query(async (db) => {
        await db
          .insertInto('definition_hash')
          .values({ principal: owner, path, hash })
          .onConflict((row) => row.columns(['principal', 'path']).doUpdateSet({ hash }))
          .execute()
      }),
    forget: (owner, path) =>
      query(async (db) => {
        await db
          .deleteFrom('definition_hash')
          .where('principal', '=', owner)
          .where('path', '=', path)
          .execute()
      }),
  }
}
