/** The `ProjectTrust` port on its table, for one principal. */
import type { ProjectTrust } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Query } from './engine.ts'

export function createProjectTrust(query: Query, owner: PrincipalId): ProjectTrust {
  return {
    trustedHash: (folder) =>
      query(async (db) => {
        const row = await db
          .selectFrom('project_trust')
          .select('hash')
          .where('principal', '=', owner)
          .where('folder', '=', folder)
          .executeTakeFirst()
        return row?.hash
      }),
    trust: (folder, hash) =>
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
    revoke: (folder) =>
      query(async (db) => {
        await db
          .deleteFrom('project_trust')
          .where('principal', '=', owner)
          .where('folder', '=', folder)
          .execute()
      }),
  }
}
