/** The `Sessions` port on its table. Holds hashes only; an expired session is never found. */
import type { Sessions } from '../ports/session-port.ts'
import { parsePrincipalId } from '../kernel/principal.ts'
import type { Query } from './engine.ts'

export function createSessions(query: Query): Sessions {
  return {
    add: (session) =>
      query(async (db) => {
        await db
          .insertInto('session')
          .values({
            cookie_hash: session.cookieHash,
            principal: session.owner,
            csrf_hash: session.csrfHash,
            expires_at: new Date(session.expiresAt).toISOString(),
          })
          .execute()
      }),
    find: (cookieHash, now) =>
      query(async (db) => {
        const row = await db
          .selectFrom('session')
          .selectAll()
          .where('cookie_hash', '=', cookieHash)
          .executeTakeFirst()
        const expiresAt = Date.parse(row?.expires_at ?? '')
        if (!row || !(expiresAt > now)) return undefined
        return {
          cookieHash: row.cookie_hash,
          csrfHash: row.csrf_hash,
          owner: parsePrincipalId(row.principal),
          expiresAt,
        }
      }),
    remove: (cookieHash) =>
      query(async (db) => {
        await db.deleteFrom('session').where('cookie_hash', '=', cookieHash).execute()
      }),
  }
}

/** Deletes expired sessions. */
export async function forgetExpiredSessions(query: Query, now: number): Promise<void> {
  await query(async (db) => {
    await db.deleteFrom('session').where('expires_at', '<=', new Date(now).toISOString()).execute()
  })
}
