/**
 * Labels of data that stays where it went: in a file, with a server. A later read finds them here, so that storing a
 * value is no declassification.
 */
import type { Label } from '../labels/label.ts'
import type { PrincipalId } from './principal.ts'
import type { ServerId } from './server-id.ts'

/** `file`: by the hash of the bytes. `path`: by the hash of the real path. `server`: by its id. */
export type KeptKind = 'file' | 'path' | 'server'

export interface KeptLabel {
  readonly kind: KeptKind
  readonly id: string
  readonly content: string
}

/** Rows of labels in stored form, by kind and id; on disk when a call returns. */
export interface KeptLabels {
  get(kind: KeptKind, id: string): Promise<string | undefined>
  list(kind: KeptKind): Promise<readonly KeptLabel[]>
  /** Replaces all of these rows, or none. */
  put(rows: readonly KeptLabel[]): Promise<void>
  remove(kind: KeptKind, id: string): Promise<boolean>
  /** Removes the oldest rows of this kind, until at most `most` are left. */
  prune(kind: KeptKind, most: number): Promise<void>
}

/** Others' data that each server was told, as the label of its later answers: a server may repeat that data. */
export interface ToldLabels {
  of(server: ServerId): Label | undefined | Promise<Label | undefined>
  /** Called before a call leaves; on disk when it returns. Returns at once if the server was told as much before. */
  raise(server: ServerId, args: Iterable<Label>): Promise<void> | undefined
  /** The owner's word that the server no longer has it. False if it was told nothing. */
  forget(server: ServerId, by: PrincipalId): Promise<boolean>
}
