/** The journal of one import: what it was about to write, noted before the first write. Names and hashes, no secret. */
import { z } from 'zod'

export interface ImportRecord {
  readonly version: 1
  readonly format: string
  readonly files: readonly RecordedFile[]
  /** Names of the secrets that it puts into the vault. */
  readonly secrets: readonly string[]
  /** Names of the parts of the encrypted copy, in order; none without one. */
  readonly backup: readonly string[]
  /** The files it read, as they were. */
  readonly sources: readonly { readonly path: string; readonly hash: string }[]
}

export interface RecordedFile {
  readonly server: string
  readonly path: string
  readonly hash: string
  /** The definition that it replaced: references only. */
  readonly previous?: string
}

const RECORD: z.ZodType<ImportRecord> = z.object({
  version: z.literal(1),
  format: z.string(),
  files: z.array(
    z.object({
      server: z.string(),
      path: z.string(),
      hash: z.string(),
      previous: z.string().exactOptional(),
    }),
  ),
  secrets: z.array(z.string()),
  backup: z.array(z.string()),
  sources: z.array(z.object({ path: z.string(), hash: z.string() })),
})

export function showImportRecord(record: ImportRecord): string {
  return JSON.stringify(record)
}

export function parseImportRecord(journal: string): ImportRecord {
  return RECORD.parse(JSON.parse(journal))
}
