/** The `Notes` port on its table. */
import type { Notes } from '../kernel/ports.ts'
import type { Query } from './engine.ts'

export function createNotes(query: Query): Notes {
  return {
    put: (owner, kind, id, content) =>
      query(async (db) => {
        await db
          .insertInto('note')
          .values({ principal: owner, kind, id, content })
          .onConflict((row) => row.columns(['principal', 'kind', 'id']).doUpdateSet({ content }))
          .execute()
      }),
    list: (owner, kind) =>
      query(async (db) => {
        const rows = await db
          .selectFrom('note')
          .select(['id', 'content'])
          .where('principal', '=', owner)
          .where('kind', '=', kind)
          .orderBy('id')
          .execute()
        return rows.map(({ id, content }) => ({ id, content }))
      }),
    remove: (owner, kind, id) =>
      query(async (db) => {
        await db
          .deleteFrom('note')
          .where('principal', '=', owner)
          .where('kind', '=', kind)
          .where('id', '=', id)
          .execute()
      }),
  }
}
