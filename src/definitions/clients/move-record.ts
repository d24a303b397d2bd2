/** The note of one move, written before its first change: paths, hashes and names, never a secret. */
import { z } from 'zod'
import type { ClientConfig } from './client-configs.ts'

export interface MoveRecord {
  readonly version: 1
  readonly id: string
  /** Counts the moves; the newest is undone first. */
  readonly number: number
  readonly client: string
  readonly path: string
  /** Hashes of the file; `before` is `none` for a file that did not exist. */
  readonly before: string
  readonly after: string
  readonly mode?: number
  /** Vault names of the parts of the original, in order. */
  readonly backup: readonly string[]
  /** The entries that were taken out. */
  readonly removed: readonly (readonly string[])[]
  /** The place of Cordon's entry, if the move put it there. */
  readonly put?: readonly string[]
  /** The move registered the client with the gateway. */
  readonly registers: boolean
}

const RECORD: z.ZodType<MoveRecord> = z.object({
  version: z.literal(1),
  id: z.string(),
  number: z.number(),
  client: z.string(),
  path: z.string(),
  before: z.string(),
  after: z.string(),
  mode: z.number().exactOptional(),
  backup: z.array(z.string()),
  removed: z.array(z.array(z.string())),
  put: z.array(z.string()).exactOptional(),
  registers: z.boolean(),
})

export const MOVE_KIND = 'client-move'

export function parseMoves(rows: readonly { readonly content: string }[]): readonly MoveRecord[] {
  return rows
    .map(({ content }) => RECORD.parse(JSON.parse(content)))
    .toSorted((a, b) => a.number - b.number)
}

/** The newest move of a client. Each project has a file of its own, and moves of its own. */
export function lastMove(
  moves: readonly MoveRecord[],
  { id, isOfProject }: ClientConfig,
  path: string,
): MoveRecord | undefined {
  return moves.findLast((one) => one.client === id && (!isOfProject || one.path === path))
}
