/**
 * The `ApprovalRows` port on its table. Every state change is one conditional UPDATE that names the state it leaves
 * (compare-and-set), so that of two processes one makes the change and the other learns that it did not.
 */
import type { Selectable } from 'kysely'
import {
  type ApprovalRow,
  type ApprovalRows,
  type CallState,
  WITH_THE_COMMAND,
} from '../kernel/approval-port.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Query } from './engine.ts'
import { createPlanUses } from './plan-uses.ts'
import type { Tables } from './tables.ts'

export function createApprovals(query: Query): ApprovalRows {
  return {
    ...reading(query),
    ...putting(query),
    ...taking(query),
    ...ending(query),
    ...createPlanUses(query),
  }
}

type Reading = Pick<ApprovalRows, 'ofQuestion' | 'ofKey' | 'ofCall' | 'newest' | 'load'>
type Ending = Pick<ApprovalRows, 'close' | 'closeExpired' | 'forget'>

function reading(query: Query): Reading {
  const by = (owner: PrincipalId, column: 'question' | 'key' | 'call_id', value: string) =>
    query(async (db) => {
      const rows = await db
        .selectFrom('approval')
        .selectAll()
        .where('principal', '=', owner)
        .where(column, '=', value)
        .orderBy('asked_at', 'desc')
        .orderBy('position')
        .execute()
      return rows.map(toRow)
    })
  return {
    ofQuestion: (owner, question) => by(owner, 'question', question),
    ofKey: (owner, key) => by(owner, 'key', key),
    ofCall: (owner, callId) => by(owner, 'call_id', callId),
    newest: (owner, limit) =>
      query(async (db) => {
        const rows = await db
          .selectFrom('approval')
          .selectAll()
          .where('principal', '=', owner)
          .orderBy('asked_at', 'desc')
          .orderBy('question')
          .orderBy('position')
          .limit(limit)
          .execute()
        return rows.map(toRow)
      }),
    load: (owner, now, since) =>
      query(async (db) => {
        const rows = await db
          .selectFrom('approval')
          .select(['question', 'state', 'asked_at', 'answer_by', 'answered_how'])
          .distinct()
          .where('principal', '=', owner)
          .where((row) => row.or([row('state', '=', 'pending'), row('asked_at', '>', iso(since))]))
          .execute()
        const open = rows.filter((row) => row.state === 'pending' && row.answer_by > iso(now))
        const asked = rows.filter(
          (row) => row.asked_at > iso(since) && row.answered_how !== WITH_THE_COMMAND,
        )
        return { open: countQuestions(open), asked: countQuestions(asked) }
      }),
  }
}

function countQuestions(rows: readonly { readonly question: string }[]): number {
  return new Set(rows.map(({ question }) => question)).size
}

function putting(query: Query): Pick<ApprovalRows, 'add' | 'markSeen' | 'allowed'> {
  return {
    allowed: (owner, now) =>
      query(async (db) => {
        const rows = await db
          .selectFrom('approval')
          .selectAll()
          .where('principal', '=', owner)
          .where('state', '=', 'allowed')
          .where('use_by', '>', iso(now))
          .execute()
        return rows.map(toRow)
      }),
    add: (owner, rows) =>
      query(async (db) => {
        await db
          .insertInto('approval')
          .values(rows.map((row) => fromRow(owner, row)))
          .execute()
      }),
    markSeen: (owner, question) =>
      query(async (db) => {
        await db
          .updateTable('approval')
          .set({ was_seen: 1 })
          .where('principal', '=', owner)
          .where('question', '=', question)
          .execute()
      }),
  }
}

function taking(query: Query): Pick<ApprovalRows, 'answer' | 'spend'> {
  return {
    answer: (owner, question, { among, allow, by, how, at, useBy }) =>
      query(async (db) => {
        if (among.length === 0) return []
        const rows = await db
          .updateTable('approval')
          .set((row) => ({
            state:
              allow.length === 0
                ? 'denied'
                : row.case().when('digest', 'in', allow).then('allowed').else('denied').end(),
            answered_at: iso(at),
            answered_by: by,
            answered_how: how,
            use_by: iso(useBy),
          }))
          .where('principal', '=', owner)
          .where('question', '=', question)
          .where('digest', 'in', among)
          .where('state', '=', 'pending')
          .where('answer_by', '>', iso(at))
          .returningAll()
          .execute()
        return rows.map(toRow).sort((a, b) => a.position - b.position)
      }),
    spend: (owner, digest, at) =>
      query(async (db) => {
        const rows = await db
          .updateTable('approval')
          .set({ state: 'spent', spent_at: iso(at) })
          .where('principal', '=', owner)
          .where('digest', '=', digest)
          .where('state', '=', 'allowed')
          .where('use_by', '>', iso(at))
          .returning('digest')
          .execute()
        return rows.length === 1
      }),
  }
}

function ending(query: Query): Ending {
  return {
    close: (owner, digests, as) =>
      query(async (db) => {
        if (digests.length === 0) return []
        const rows = await db
          .updateTable('approval')
          .set({ state: as })
          .where('principal', '=', owner)
          .where('digest', 'in', digests)
          .where('state', '=', 'pending')
          .returning('digest')
          .execute()
        return rows.map(({ digest }) => digest)
      }),
    closeExpired: (owner, now) =>
      query(async (db) => {
        const rows = await db
          .updateTable('approval')
          .set({ state: 'expired' })
          .where('principal', '=', owner)
          .where('state', '=', 'pending')
          .where('answer_by', '<=', iso(now))
          .returningAll()
          .execute()
        return rows.map(toRow)
      }),
    forget: (owner, before) =>
      query(async (db) => {
        await db
          .deleteFrom('approval')
          .where('principal', '=', owner)
          .where('asked_at', '<', iso(before))
          .execute()
        await db
          .deleteFrom('plan_use')
          .where('principal', '=', owner)
          .where('used_at', '<', iso(before))
          .execute()
      }),
  }
}

function fromRow(owner: PrincipalId, row: ApprovalRow): Tables['approval'] {
  return {
    principal: owner,
    digest: row.digest,
    question: row.question,
    position: row.position,
    key: row.key,
    call_id: row.callId,
    task_id: row.taskId,
    state: row.state,
    asked_at: iso(row.askedAt),
    answer_by: iso(row.answerBy),
    use_by: iso(row.useBy),
    answered_at: null,
    answered_by: null,
    answered_how: null,
    spent_at: null,
    was_seen: row.wasSeen ? 1 : 0,
    content: row.content,
  }
}

function toRow(row: Selectable<Tables['approval']>): ApprovalRow {
  return {
    question: row.question,
    position: row.position,
    digest: row.digest,
    key: row.key,
    callId: row.call_id,
    taskId: row.task_id,
    state: row.state as CallState,
    askedAt: Date.parse(row.asked_at),
    answerBy: Date.parse(row.answer_by),
    useBy: Date.parse(row.use_by),
    ...(row.answered_how !== null && { answeredHow: row.answered_how }),
    wasSeen: row.was_seen === 1,
    content: row.content,
  }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
