/**
 * The version before the last upgrade of each server, kept over restarts. A note is written before the switch and counts
 * only while the server is at the version that the note leads to. Until the new version has started, the note holds the
 * one before it, which counts where the switch did not happen or was taken back.
 */
import { z } from 'zod'
import type { Notes } from '../../kernel/ports.ts'
import type { SeenTools } from '../../text/tool-change.ts'
import type { PinnedPackage } from '../../ports/catalog-port.ts'

export interface UpgradeNote {
  readonly from: string
  readonly to: string
  /** The name of the folder of the version before: `notion@2.5.1`. */
  readonly folder: string
  /** The arguments in the file of the definition. */
  readonly args: readonly string[]
  readonly pinned: PinnedPackage
  /** The tools that were accepted, by their hashes: going back accepts them again, and no others. */
  readonly accepted: SeenTools
  /** The way back from `from`. */
  readonly former?: Omit<UpgradeNote, 'former'>
}

const KIND = 'package-before'
const STEP = z.object({
  from: z.string(),
  to: z.string(),
  folder: z.string(),
  args: z.array(z.string()),
  pinned: z.object({
    package: z.string(),
    version: z.string(),
    integrity: z.string(),
    entry: z.string(),
  }),
  accepted: z.record(z.string(), z.string()),
})
const NOTE: z.ZodType<UpgradeNote> = STEP.extend({ former: STEP.exactOptional() })

export interface UpgradeNotes {
  put(server: string, note: UpgradeNote): Promise<void>
  all(): Promise<ReadonlyMap<string, UpgradeNote>>
  remove(server: string): Promise<void>
}

export function createUpgradeNotes(notes: Notes): UpgradeNotes {
  return {
    put: (server, note) => notes.put(KIND, server, JSON.stringify(note)),
    async all() {
      const found = (await notes.list(KIND)).flatMap(({ id, content }) => {
        const note = NOTE.safeParse(JSON.parse(content)).data
        return note ? [[id, note] as const] : []
      })
      return new Map(found)
    },
    remove: (server) => notes.remove(KIND, server),
  }
}
