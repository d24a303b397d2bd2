/** The rows of memory, for one principal: facts and turns, with the results. Each change is one statement, so whole or not at all. */
import type { PrincipalId } from '../kernel/principal.ts'
import type { Query } from './engine.ts'
import { createResultRows, type MemoryResultRows } from './memory-result-rows.ts'
import { nextNumber } from './next-number.ts'

interface FactContent {
  readonly key: string
  readonly text: string
  readonly labels: string
  readonly source: string
  readonly keptAt: string
}

interface FactRow extends FactContent {
  readonly number: number
  readonly usedAt: string | null
}

interface NewTurnRow {
  readonly channel: string
  readonly conversation: string
  readonly said: string
  readonly answered: string
  readonly label: string
  readonly at: string
}

interface TurnRow extends Omit<NewTurnRow, 'conversation'> {
  readonly number: number
}

export interface MemoryRows extends MemoryResultRows {
  /** By number. */
  facts(): Promise<readonly FactRow[]>
  /** Adds the fact, or replaces the one with this key, which keeps its number. Returns the number. */
  putFact(fact: FactContent): Promise<number>
  /** False if there is no such fact. */
  editFact(number: number, fact: FactContent): Promise<boolean>
  useFacts(numbers: readonly number[], at: string): Promise<void>
  removeFacts(numbers: readonly number[]): Promise<void>
  addTurn(turn: NewTurnRow): Promise<number>
  /** The last `limit`, oldest first, of one conversation or of all. */
  turns(limit: number, conversation?: string): Promise<readonly TurnRow[]>
  removeTurns(numbers: readonly number[]): Promise<void>
  /** Removes the turns up to this number. */
  pruneTurns(upTo: number): Promise<void>
}

/** Facts are synced to disk; new turns and results, which every message brings, are not waited for. */
export function createMemoryRows(
  query: Query,
  queryUnsynced: Query,
  owner: PrincipalId,
): MemoryRows {
  const { addTurn } = turnRows(queryUnsynced, owner)
  const results = createResultRows(query, queryUnsynced, owner)
  return { ...factRows(query, owner), ...turnRows(query, owner), addTurn, ...results }
}

type FactMethods = 'facts' | 'putFact' | 'editFact' | 'useFacts' | 'removeFacts'

function factRows(query: Query, owner: PrincipalId): Pick<MemoryRows, FactMethods> {
  return {
    facts: () =>
      query(async (db) => {
        const rows = await db
          .selectFrom('memory_fact')
          .selectAll()
          .where('principal', '=', owner)
          .orderBy('number')
          .execute()
        return rows.map(({ principal: _owner, kept_at: keptAt, used_at: usedAt, ...row }) => {
          return { ...row, keptAt, usedAt }
        })
      }),
    ...changingFacts(query, owner),
  }
}

function changingFacts(
  query: Query,
  owner: PrincipalId,
): Pick<MemoryRows, Exclude<FactMethods, 'facts'>> {
  return {
    putFact: ({ keptAt: kept_at, ...fact }) =>
      query(async (db) => {
        const { key, ...content } = { ...fact, kept_at, used_at: null }
        const row = await db
          .insertInto('memory_fact')
          .values({ principal: owner, key, ...content, number: nextNumber('memory_fact', owner) })
          .onConflict((known) => known.columns(['principal', 'key']).doUpdateSet(content))
          .returning('number')
          .executeTakeFirstOrThrow()
        return row.number
      }),
    editFact: (number, { keptAt: kept_at, ...fact }) =>
      query(async (db) => {
        const row = await db
          .updateTable('memory_fact')
          .set({ ...fact, kept_at })
          .where('principal', '=', owner)
          .where('number', '=', number)
          .returning('number')
          .executeTakeFirst()
        return row !== undefined
      }),
    useFacts: (numbers, at) =>
      query(async (db) => {
        await db
          .updateTable('memory_fact')
          .set({ used_at: at })
          .where('principal', '=', owner)
          .where('number', 'in', numbers)
          .execute()
      }),
    removeFacts: (numbers) =>
      query(async (db) => {
        await db
          .deleteFrom('memory_fact')
          .where('principal', '=', owner)
          .where('number', 'in', numbers)
          .execute()
      }),
  }
}

type TurnMethods = 'addTurn' | 'turns' | 'removeTurns' | 'pruneTurns'

function turnRows(query: Query, owner: PrincipalId): Pick<MemoryRows, TurnMethods> {
  return {
    addTurn: (turn) =>
      query(async (db) => {
        const row = await db
          .insertInto('memory_turn')
          .values({ principal: owner, ...turn, number: nextNumber('memory_turn', owner) })
          .returning('number')
          .executeTakeFirstOrThrow()
        return row.number
      }),
    turns: (limit, conversation) =>
      query(async (db) => {
        const all = db
          .selectFrom('memory_turn')
          .select(['number', 'channel', 'said', 'answered', 'label', 'at'])
          .where('principal', '=', owner)
        const rows = await (conversation === undefined
          ? all
          : all.where('conversation', '=', conversation)
        )
          .orderBy('number', 'desc')
          .limit(limit)
          .execute()
        return rows.toReversed()
      }),
    removeTurns: (numbers) =>
      query(async (db) => {
        await db
          .deleteFrom('memory_turn')
          .where('principal', '=', owner)
          .where('number', 'in', numbers)
          .execute()
      }),
    pruneTurns: (upTo) =>
      query(async (db) => {
        await db
          .deleteFrom('memory_turn')
          .where('principal', '=', owner)
          .where('number', '<=', upTo)
          .execute()
      }),
  }
}
