/**
 * The calls that relied on an approved plan. Each takes a numbered slot of its node, and a slot is taken once, so two
 * processes never make more calls than the plan allows. A call that was counted before is not counted again: its process
 * may have died between counting and calling.
 */
import type { ApprovalRows } from '../kernel/approval-port.ts'
import type { PlanUse } from '../kernel/plan-bounds.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Query } from './engine.ts'

export function createPlanUses(query: Query): Pick<ApprovalRows, 'usePlan' | 'planUses'> {
  const planUses: ApprovalRows['planUses'] = (owner, approval) =>
    query(async (db) => {
      const rows = await db
        .selectFrom('plan_use')
        .select(['call_id', 'node'])
        .where('principal', '=', owner)
        .where('approval', '=', approval)
        .execute()
      return new Map(rows.map(({ call_id, node }) => [call_id, node]))
    })
  return {
    planUses,
    async usePlan(owner, use, at) {
      while (await isInForce(query, owner, use.approval, at)) {
        const used = await planUses(owner, use.approval)
        if (used.has(use.callId)) return used.get(use.callId) === use.node
        const slot = [...used.values()].filter((node) => node === use.node).length + 1
        if (slot > use.times) return false
        if (await takeSlot(query, owner, { ...use, slot, at })) return true
      }
      return false
    },
  }
}

function isInForce(
  query: Query,
  owner: PrincipalId,
  approval: string,
  at: number,
): Promise<boolean> {
  return query(async (db) => {
    const rows = await db
      .selectFrom('approval')
      .select('digest')
      .where('principal', '=', owner)
      .where('digest', '=', approval)
      .where('state', '=', 'allowed')
      .where('use_by', '>', new Date(at).toISOString())
      .execute()
    return rows.length === 1
  })
}

/** False if another call took the slot meanwhile. */
function takeSlot(
  query: Query,
  owner: PrincipalId,
  { approval, node, callId, slot, at }: PlanUse & { readonly slot: number; readonly at: number },
): Promise<boolean> {
  return query(async (db) => {
    const used_at = new Date(at).toISOString()
    const rows = await db
      .insertInto('plan_use')
      .values({ principal: owner, approval, node, slot, call_id: callId, used_at })
      .onConflict((row) => row.doNothing())
      .returning('slot')
      .execute()
    return rows.length === 1
  })
}
