/** The journal entry of one import: its writes, recorded before the first one. Names and hashes, never a secret. */
import { z } from 'zod'

export interface ImportRecord {
  readonly version: 1
  readonly format: string
  readonly files: readonly RecordedFile[]
  /** Names of the secrets that the import puts into the vault. */
  readonly secrets: readonly string[]
  /** Vault names of the parts of the encrypted backup, in order; empty without a backup. */
  readonly backup: readonly string[]
  /** The files that the import read, with the hash of their content. */
  readonly sources: readonly { readonly path: string; readonly hash: string }[]
}

export interface RecordedFile {
  readonly server: string
  readonly path: string
  readonly hash: string
  /** The text of the definition that was replaced; it holds references, never secrets. */
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
