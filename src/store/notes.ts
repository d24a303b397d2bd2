/** The `SwappedNotes` port on its table, for one principal. */
import type { SwappedNotes } from '../ports/swapped-notes-port.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Query } from './engine.ts'

export function createNotes(query: Query, owner: PrincipalId): SwappedNotes {
  return {
    add: (kind, id, content) =>
      query(async (db) => {
        const row = await db
          .insertInto('note')
          .values({ principal: owner, kind, id, content })
          .onConflict((known) => known.columns(['principal', 'kind', 'id']).doNothing())
          .returning('id')
          .executeTakeFirst()
        return row !== undefined
      }),
    swap: swapBy(query, owner),
    put: (kind, id, content) =>
      query(async (db) => {
        await db
          .insertInto('note')
          .values({ principal: owner, kind, id, content })
          .onConflict((row) => row.columns(['principal', 'kind', 'id']).doUpdateSet({ content }))
          .execute()
      }),
    list: (kind) =>
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
    remove: (kind, id) =>
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

function swapBy(query: Query, owner: PrincipalId): SwappedNotes['swap'] {
  return (kind, id, from, to) =>
    query(async (db) => {
      const row = await db
        .updateTable('note')
        .set({ content: to })
        .where('principal', '=', owner)
        .where('kind', '=', kind)
        .where('id', '=', id)
        .where('content', '=', from)
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    })
}
