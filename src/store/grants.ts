/** The `GrantRows` port on its tables. A use is counted by one conditional UPDATE, so no use is ever counted twice. */
import type { Selectable } from 'kysely'
import type { GrantRows } from '../kernel/approval-port.ts'
import type { Grant, GrantKind } from '../kernel/grant.ts'
import { parsePrincipalId } from '../kernel/principal.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { Query } from './engine.ts'
import type { Tables } from './tables.ts'

export function createGrants(query: Query): GrantRows {
  return { ...standing(query), ...using(query), ...endorsing(query) }
}

function standing(query: Query): Pick<GrantRows, 'add' | 'holding' | 'revoke'> {
  return {
    add: (grant) =>
      query(async (db) => {
        await db.insertInto('standing_grant').values(fromGrant(grant)).execute()
      }),
    holding: (owner, now) =>
      query(async (db) => {
        const rows = await db
          .selectFrom('standing_grant')
          .leftJoin('grant_use', (join) =>
            join
              .onRef('grant_use.principal', '=', 'standing_grant.principal')
              .onRef('grant_use.id', '=', 'standing_grant.id'),
          )
          .selectAll('standing_grant')
          .select('grant_use.used_at')
          .where('standing_grant.principal', '=', owner)
          .where('revoked_at', 'is', null)
          .where('uses_left', '>', 0)
          .where('expires_at', '>', iso(now))
          .orderBy('created_at')
          .execute()
        return rows.map(({ used_at, ...row }) => ({
          ...toGrant(row),
          ...(used_at !== null && { lastUsedAt: Date.parse(used_at) }),
        }))
      }),
    revoke: (owner, id, now) =>
      query(async (db) => {
        const rows = await db
          .updateTable('standing_grant')
          .set({ revoked_at: iso(now) })
          .where('principal', '=', owner)
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .returning('id')
          .execute()
        return rows.length === 1
      }),
  }
}

/** Notes the time of the use too, so that grants nobody uses can be told. */
function using(query: Query): Pick<GrantRows, 'use'> {
  return {
    use: (owner, id, now) =>
      query(async (db) => {
        const row = await db
          .updateTable('standing_grant')
          .set((grant) => ({ uses_left: grant('uses_left', '-', 1) }))
          .where('principal', '=', owner)
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .where('uses_left', '>', 0)
          .where('expires_at', '>', iso(now))
          .returning('uses_left')
          .executeTakeFirst()
        if (!row) return undefined
        const used_at = iso(now)
        await db
          .insertInto('grant_use')
          .values({ principal: owner, id, used_at })
          .onConflict((use) => use.columns(['principal', 'id']).doUpdateSet({ used_at }))
          .execute()
        return row.uses_left
      }),
  }
}

function endorsing(query: Query): Pick<GrantRows, 'endorse' | 'endorsements'> {
  return {
    endorse: (owner, endorsements) =>
      query(async (db) => {
        if (endorsements.length === 0) return
        const rows = endorsements.map(({ taskId, server, argument, valueHash, expiresAt }) => {
          const place = { principal: owner, task_id: taskId, server, argument }
          return { ...place, value_hash: valueHash, until: iso(expiresAt) }
        })
        await db
          .insertInto('endorsement')
          .values(rows)
          .onConflict((row) =>
            row
              .columns(['principal', 'task_id', 'server', 'argument', 'value_hash'])
              .doUpdateSet((set) => ({ until: set.ref('excluded.until') })),
          )
          .execute()
      }),
    endorsements: (owner, now) =>
      query(async (db) => {
        await db.deleteFrom('endorsement').where('until', '<=', iso(now)).execute()
        const rows = await db
          .selectFrom('endorsement')
          .selectAll()
          .where('principal', '=', owner)
          .where('until', '>', iso(now))
          .execute()
        return rows.map(({ task_id, server, argument, value_hash, until }) => {
          const place = { taskId: task_id, server, argument }
          return { ...place, valueHash: value_hash, expiresAt: Date.parse(until) }
        })
      }),
  }
}

function fromGrant(grant: Grant): Tables['standing_grant'] {
  return {
    principal: grant.owner,
    id: grant.id,
    kind: grant.kind,
    origin: originOf(grant),
    max: grant.kind === 'spend' ? String(grant.max) : null,
    server: grant.server,
    tool: grant.tool,
    hash: grant.hash,
    server_pin: grant.serverPin,
    created_at: iso(grant.createdAt),
    expires_at: iso(grant.expiresAt),
    uses_left: grant.usesLeft,
    revoked_at: null,
  }
}

function toGrant(row: Selectable<Tables['standing_grant']>): Grant {
  return {
    ...kindOf(row),
    id: row.id,
    owner: parsePrincipalId(row.principal),
    server: row.server as ServerId, // as it was given: a project's server has an id that no request can name
    tool: row.tool,
    hash: row.hash,
    serverPin: row.server_pin,
    createdAt: Date.parse(row.created_at),
    expiresAt: Date.parse(row.expires_at),
    usesLeft: row.uses_left,
  }
}

/** In the column of the origin, for a grant of a tool: a program that does not know it reads the narrower grant. */
const IDS = 'ids'

function originOf(grant: Grant): string | null {
  if (grant.kind === 'flow') return grant.origin
  return grant.kind === 'tool' && grant.ids ? IDS : null
}

/** An unreadable grant allows nothing: no server has the origin '', and no amount is at most NaN. */
function kindOf({ kind, origin, max }: Selectable<Tables['standing_grant']>): GrantKind {
  if (kind === 'tool') return origin === IDS ? { kind: 'tool', ids: true } : { kind: 'tool' }
  if (kind === 'flow') return { kind: 'flow', origin: origin ?? '' }
  return { kind: 'spend', max: Number(max ?? Number.NaN) }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
