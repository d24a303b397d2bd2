/** The interface of both engines: queries, one exclusive transaction, and engine errors as a `CordonError`. */
import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

export interface Engine extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgresql'
  readonly query: Query
  /** A transaction under a lock that all processes of Cordon share: the others wait. */
  exclusively(work: (db: Kysely<Tables>) => Promise<void>): Promise<void>
}

/** Runs one statement; a failure of the engine is thrown as a `CordonError`. */
export type Query = <T>(ask: (db: Kysely<Tables>) => Promise<T>) => Promise<T>
