/** What the two engines have in common: tables to ask, one way to be alone with them, and errors in words. */
import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

export interface Engine extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgresql'
  readonly query: Query
  /** One transaction that no other process of ours can be in at the same time: the others wait. */
  exclusively(work: (db: Kysely<Tables>) => Promise<void>): Promise<void>
}

/** Runs one statement; what fails because of the engine is thrown as a `CordonError`. */
export type Query = <T>(ask: (db: Kysely<Tables>) => Promise<T>) => Promise<T>
