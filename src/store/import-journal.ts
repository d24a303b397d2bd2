/** The `ImportJournal` port on its table, for one principal. An import that was undone is never found again. */
import { sql } from 'kysely'
import type { ImportJournal } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Query } from './engine.ts'

export function createImportJournal(query: Query, owner: PrincipalId): ImportJournal {
  return {
    add: (id, journal) =>
      query(async (db) => {
        await db
          .insertInto('import_journal')
          .values((row) => ({
            principal: owner,
            id,
            journal,
            position: row
              .selectFrom('import_journal')
              .where('principal', '=', owner)
              .select(sql<number>`coalesce(max(position), 0) + 1`.as('next')),
          }))
          .execute()
      }),
    find: (id) =>
      query(async (db) => {
        const open = db
          .selectFrom('import_journal')
          .select(['id', 'journal'])
          .where('principal', '=', owner)
          .where('undone_at', 'is', null)
        const found =
          id === undefined ? open.orderBy('position', 'desc') : open.where('id', '=', id)
        const row = await found.limit(1).executeTakeFirst()
        return row && { id: row.id, journal: row.journal }
      }),
    markUndone: (id) =>
      query(async (db) => {
        await db
          .updateTable('import_journal')
          .set({ undone_at: new Date().toISOString() })
          .where('principal', '=', owner)
          .where('id', '=', id)
          .execute()
      }),
  }
}
