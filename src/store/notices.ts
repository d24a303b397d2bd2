/** The rows of notices, for one principal: one row for each item of a notice, so that counting needs no transaction. */
import type { PrincipalId } from '../kernel/principal.ts'
import type { Query } from './engine.ts'

interface NoticeKey {
  readonly kind: string
  readonly server: string
  /** A host, a scope or a tool; empty for a notice without items. */
  readonly item: string
}

interface NoticeRow extends NoticeKey {
  readonly reason: string
  readonly since: string
  readonly last: string
  readonly count: number
  readonly isSeen: boolean
}

export interface NoticeRows {
  /** Adds the row, or adds `times` to its count and keeps whether it was seen. */
  add(key: NoticeKey, news: { reason: string; at: string; times: number }): Promise<void>
  list(): Promise<readonly NoticeRow[]>
  markSeen(kind: string, server: string, at: string): Promise<void>
  /** Removes these items, or all. */
  remove(kind: string, server: string, items?: readonly string[]): Promise<void>
}

export function createNotices(query: Query, owner: PrincipalId): NoticeRows {
  return { ...readingRows(query, owner), ...writingRows(query, owner) }
}

function readingRows(query: Query, owner: PrincipalId): Pick<NoticeRows, 'list'> {
  return {
    list: () =>
      query(async (db) => {
        const rows = await db
          .selectFrom('notice')
          .selectAll()
          .where('principal', '=', owner)
          .orderBy('since')
          .orderBy('item')
          .execute()
        return rows.map(({ kind, server, item, reason, since, last_at, count, seen_at }) => {
          return {
            kind,
            server,
            item,
            reason,
            since,
            last: last_at,
            count,
            isSeen: seen_at !== null,
          }
        })
      }),
  }
}

function writingRows(query: Query, owner: PrincipalId): Omit<NoticeRows, 'list'> {
  return {
    add: ({ kind, server, item }, { reason, at, times }) =>
      query(async (db) => {
        const row = { kind, server, item, reason, since: at, last_at: at, count: times }
        await db
          .insertInto('notice')
          .values({ principal: owner, ...row, seen_at: null })
          .onConflict((known) =>
            known.columns(['principal', 'kind', 'server', 'item']).doUpdateSet((old) => ({
              reason,
              last_at: at,
              count: old.eb(old.ref('notice.count'), '+', times),
            })),
          )
          .execute()
      }),
    markSeen: (kind, server, at) =>
      query(async (db) => {
        await db
          .updateTable('notice')
          .set({ seen_at: at })
          .where('principal', '=', owner)
          .where('kind', '=', kind)
          .where('server', '=', server)
          .execute()
      }),
    remove: (kind, server, items) =>
      query(async (db) => {
        const all = db
          .deleteFrom('notice')
          .where('principal', '=', owner)
          .where('kind', '=', kind)
          .where('server', '=', server)
        await (items ? all.where('item', 'in', items) : all).execute()
      }),
  }
}
