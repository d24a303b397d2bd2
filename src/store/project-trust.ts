/** The `ProjectTrust` port on its table. */
import type { ProjectTrust } from '../kernel/ports.ts'
import type { Query } from './engine.ts'

export function createProjectTrust(query: Query): ProjectTrust {
  return {
    trustedHash: (owner, folder) =>
      query(async (db) => {
        const row = await db
          .selectFrom('project_trust')
          .select('hash')
          .where('principal', '=', owner)
          .where('folder', '=', folder)
          .executeTakeFirst()
        return row?.hash
      }),
    trust: (owner, folder, hash) =>
      query(async (db) => {
        const trusted_at = new Date().toISOString()
        await db
          .insertInto('project_trust')
          .values({ principal: owner, folder, hash, trusted_at })
          .onConflict((row) =>
            row.columns(['principal', 'folder']).doUpdateSet({ hash, trusted_at }),
          )
          .execute()
      }),
    revoke: (owner, folder) =>
      query(async (db) => {
        await db
          .deleteFrom('project_trust')
          .where('principal', '=', owner)
          .where('folder', '=', folder)
          .execute()
      }),
  }
}
