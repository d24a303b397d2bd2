/** The `SavedFlowRows` port on its table, for one principal. */
import type { SavedFlowRows, StoredFlow } from '../ports/saved-flow-port.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Query } from './engine.ts'
import type { Tables } from './tables.ts'

export function createSavedFlowRows(query: Query, owner: PrincipalId): SavedFlowRows {
  return {
    put: (flow, replace) =>
      query(async (db) => {
        const { ir, text = null } = flow
        const changed = { ir, written: text, saved_at: new Date(flow.savedAt).toISOString() }
        const kept = await db
          .insertInto('saved_flow')
          .values({ principal: owner, name: flow.name, ...changed })
          .onConflict((row) => {
            const taken = row.columns(['principal', 'name'])
            return replace ? taken.doUpdateSet(changed) : taken.doNothing()
          })
          .returning('name')
          .executeTakeFirst()
        return kept !== undefined
      }),
    get: (name) =>
      query(async (db) => {
        const row = await db
          .selectFrom('saved_flow')
          .selectAll()
          .where('principal', '=', owner)
          .where('name', '=', name)
          .executeTakeFirst()
        return row && flowFrom(row)
      }),
    list: () =>
      query(async (db) => {
        const rows = await db
          .selectFrom('saved_flow')
          .selectAll()
          .where('principal', '=', owner)
          .orderBy('name')
          .execute()
        return rows.map(flowFrom)
      }),
    remove: (name) =>
      query(async (db) => {
        const gone = await db
          .deleteFrom('saved_flow')
          .where('principal', '=', owner)
          .where('name', '=', name)
          .returning('name')
          .executeTakeFirst()
        return gone !== undefined
      }),
  }
}

function flowFrom({ name, ir, written, saved_at: savedAt }: Tables['saved_flow']): StoredFlow {
  const flow = { name, ir, savedAt: Date.parse(savedAt) }
  return written === null ? flow : { ...flow, text: written }
}
