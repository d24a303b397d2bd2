/** The interface of both engines: queries, one exclusive transaction, and engine errors as a `CordonError`. */
import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

export interface Engine extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgresql'
  readonly query: Query
  /**
   * For rows of which the last may be missing after a power failure. They are written when the call returns, so a killed
   * process loses nothing; on SQLite the disk is not waited for.
   */
  readonly queryUnsynced: Query
  /**
   * Another text after every change of one of the tables, so that a reader need not ask again; undefined if other
   * processes may change them too.
   */
  readonly stamp: (tables: readonly (keyof Tables)[]) => string | undefined
  /** A transaction under a lock that all processes of Cordon share: the others wait. */
  exclusively(work: (db: Kysely<Tables>) => Promise<void>): Promise<void>
}

/** Runs one statement; a failure of the engine is thrown as a `CordonError`. */
export type Query = <T>(ask: (db: Kysely<Tables>) => Promise<T>) => Promise<T>
