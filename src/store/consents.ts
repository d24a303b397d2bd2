/** The `Consents` port on its table, for one principal. */
import type { Consents } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Query } from './engine.ts'

export function createConsents(query: Query, owner: PrincipalId): Consents {
  return {
    given: (subject) =>
      query(async (db) => {
        const row = await db
          .selectFrom('consent')
          .select('hash')
          .where('principal', '=', owner)
          .where('subject', '=', subject)
          .executeTakeFirst()
        return row?.hash
      }),
    give: (subject, hash) =>
      query(async (db) => {
        const given_at = new Date().toISOString()
        await db
          .insertInto('consent')
          .values({ principal: owner, subject, hash, given_at })
          .onConflict((row) =>
            row.columns(['principal', 'subject']).doUpdateSet({ hash, given_at }),
          )
          .execute()
      }),
    withdraw: (subject) =>
      query(async (db) => {
        await db
          .deleteFrom('consent')
          .where('principal', '=', owner)
          .where('subject', '=', subject)
          .execute()
      }),
  }
}
