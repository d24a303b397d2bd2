/** The `DefinitionHashes` port on its table, for one principal. */
import type { DefinitionHashes } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Query } from './engine.ts'

export function createDefinitionHashes(query: Query, owner: PrincipalId): DefinitionHashes {
  return {
    get: (path) =>
      query(async (db) => {
        const row = await db
          .selectFrom('definition_hash')
          .select('hash')
          .where('principal', '=', owner)
          .where('path', '=', path)
          .executeTakeFirst()
        return row?.hash
      }),
    put: (path, hash) =>
      query(async (db) => {
        await db
          .insertInto('definition_hash')
          .values({ principal: owner, path, hash })
          .onConflict((row) => row.columns(['principal', 'path']).doUpdateSet({ hash }))
          .execute()
      }),
    forget: (path) =>
      query(async (db) => {
        await db
          .deleteFrom('definition_hash')
          .where('principal', '=', owner)
          .where('path', '=', path)
          .execute()
      }),
  }
}
