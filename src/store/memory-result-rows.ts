/** The results of tools in memory, for one principal. Each change is one statement, so whole or not at all. */
import type { PrincipalId } from '../kernel/principal.ts'
import type { Query } from './engine.ts'
import { nextNumber } from './next-number.ts'

interface NewResultRow {
  /** Empty: of none. */
  readonly conversation: string
  readonly server: string
  readonly tool: string
  readonly type: string
  readonly count: number | null
  readonly content: string
  readonly at: string
}

interface ResultRow extends Omit<NewResultRow, 'conversation'> {
  readonly number: number
}

type ResultShape = Omit<ResultRow, 'content'>

export interface MemoryResultRows {
  addResult(result: NewResultRow): Promise<number>
  /** By number, forgotten ones left out. */
  results(): Promise<readonly ResultRow[]>
  /** The last `limit`, newest first, without their content; of one conversation (empty: of none), or of all. */
  resultShapes(limit: number, conversation?: string): Promise<readonly ResultShape[]>
  result(number: number): Promise<ResultRow | undefined>
  /** Empties the rows, which keep their numbers: the name of a forgotten result is not given to another one. */
  forgetResults(numbers: readonly number[]): Promise<void>
  pruneResults(upTo: number): Promise<void>
  /** Removes all results of the conversation but the last `most`. */
  pruneConversation(conversation: string, most: number): Promise<void>
}

type ReadingResults = 'results' | 'resultShapes' | 'result'
type ChangingResults = 'addResult' | 'forgetResults' | 'pruneResults' | 'pruneConversation'

/** Forgetting is synced to disk; a new result, and the removal of old ones that goes with it, is not waited for. */
export function createResultRows(
  query: Query,
  queryUnsynced: Query,
  owner: PrincipalId,
): MemoryResultRows {
  const { forgetResults } = changingResults(query, owner)
  return {
    ...readingResults(query, owner),
    ...changingResults(queryUnsynced, owner),
    forgetResults,
  }
}

const SHAPE = ['number', 'server', 'tool', 'type', 'count', 'at'] as const

function readingResults(query: Query, owner: PrincipalId): Pick<MemoryResultRows, ReadingResults> {
  return {
    results: () =>
      query(async (db) => {
        const rows = await db
          .selectFrom('memory_result')
          .select([...SHAPE, 'content'])
          .where('principal', '=', owner)
          .where('content', '!=', '')
          .orderBy('number')
          .execute()
        return [...rows]
      }),
    resultShapes: (limit, conversation) =>
      query(async (db) => {
        const all = db
          .selectFrom('memory_result')
          .select([...SHAPE])
          .where('principal', '=', owner)
          .where('content', '!=', '')
        const rows = await (conversation === undefined
          ? all
          : all.where('conversation', '=', conversation)
        )
          .orderBy('number', 'desc')
          .limit(limit)
          .execute()
        return [...rows]
      }),
    result: (number) =>
      query((db) =>
        db
          .selectFrom('memory_result')
          .select([...SHAPE, 'content'])
          .where('principal', '=', owner)
          .where('number', '=', number)
          .where('content', '!=', '')
          .executeTakeFirst(),
      ),
  }
}

function changingResults(
  query: Query,
  owner: PrincipalId,
): Pick<MemoryResultRows, ChangingResults> {
  return {
    addResult: (result) =>
      query(async (db) => {
        const row = await db
          .insertInto('memory_result')
          .values({ principal: owner, ...result, number: nextNumber('memory_result', owner) })
          .returning('number')
          .executeTakeFirstOrThrow()
        return row.number
      }),
    forgetResults: (numbers) =>
      query(async (db) => {
        await db
          .updateTable('memory_result')
          .set({ server: '', tool: '', type: '', count: null, content: '' })
          .where('principal', '=', owner)
          .where('number', 'in', numbers)
          .execute()
      }),
    pruneResults: (upTo) =>
      query(async (db) => {
        await db
          .deleteFrom('memory_result')
          .where('principal', '=', owner)
          .where('number', '<=', upTo)
          .execute()
      }),
    pruneConversation: (conversation, most) =>
      query(async (db) => {
        const last = db
          .selectFrom('memory_result')
          .select('number')
          .where('principal', '=', owner)
          .where('conversation', '=', conversation)
          .orderBy('number', 'desc')
          .limit(most)
        await db
          .deleteFrom('memory_result')
          .where('principal', '=', owner)
          .where('conversation', '=', conversation)
          .where('number', 'not in', last)
          .execute()
      }),
  }
}
