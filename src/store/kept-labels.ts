/** The `KeptLabels` port on its table, for one principal. */
import type { KeptLabels } from '../kernel/kept-labels.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Query } from './engine.ts'

export function createKeptLabels(query: Query, owner: PrincipalId): KeptLabels {
  return { ...looking(query, owner), ...keeping(query, owner), ...pruning(query, owner) }
}

function looking(query: Query, owner: PrincipalId): Pick<KeptLabels, 'get' | 'list'> {
  return {
    get: (kind, id) =>
      query(async (db) => {
        const row = await db
          .selectFrom('kept_label')
          .select('content')
          .where('principal', '=', owner)
          .where('kind', '=', kind)
          .where('id', '=', id)
          .executeTakeFirst()
        return row?.content
      }),
    list: (kind) =>
      query(async (db) => {
        const rows = await db
          .selectFrom('kept_label')
          .select(['id', 'content'])
          .where('principal', '=', owner)
          .where('kind', '=', kind)
          .orderBy('id')
          .execute()
        return rows.map((row) => ({ kind, ...row }))
      }),
  }
}

function keeping(query: Query, owner: PrincipalId): Pick<KeptLabels, 'put' | 'remove'> {
  return {
    put: (rows) =>
      query(async (db) => {
        const kept_at = new Date().toISOString()
        await db
          .insertInto('kept_label')
          .values(rows.map((row) => ({ principal: owner, ...row, kept_at })))
          .onConflict((row) =>
            row.columns(['principal', 'kind', 'id']).doUpdateSet((old) => ({
              content: old.ref('excluded.content'),
              kept_at: old.ref('excluded.kept_at'),
            })),
          )
          .execute()
      }),
    remove: (kind, id) =>
      query(async (db) => {
        const gone = await db
          .deleteFrom('kept_label')
          .where('principal', '=', owner)
          .where('kind', '=', kind)
          .where('id', '=', id)
          .returning('id')
          .executeTakeFirst()
        return gone !== undefined
      }),
  }
}

function pruning(query: Query, owner: PrincipalId): Pick<KeptLabels, 'prune'> {
  return {
    async prune(kind, most) {
      const tooOld = await query((db) =>
        db
          .selectFrom('kept_label')
          .select('kept_at')
          .where('principal', '=', owner)
          .where('kind', '=', kind)
          .orderBy('kept_at', 'desc')
          .offset(most)
          .limit(1)
          .executeTakeFirst(),
      )
      if (!tooOld) return
      await query((db) =>
        db
          .deleteFrom('kept_label')
          .where('principal', '=', owner)
          .where('kind', '=', kind)
          .where('kept_at', '<=', tooOld.kept_at)
          .execute(),
      )
    },
  }
}
