/** The `Consents` port on its table. */
import type { Consents } from '../kernel/ports.ts'
import type { Query } from './engine.ts'

export function createConsents(query: Query): Consents {
  return {
    given: (owner, subject) =>
      query(async (db) => {
        const row = await db
          .selectFrom('consent')
          .select('hash')
          .where('principal', '=', owner)
          .where('subject', '=', subject)
          .executeTakeFirst()
        return row?.hash
      }),
    give: (owner, subject, hash) =>
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
    withdraw: (owner, subject) =>
      query(async (db) => {
        await db
          .deleteFrom('consent')
          .where('principal', '=', owner)
          .where('subject', '=', subject)
          .execute()
      }),
  }
}
