/**
 * `cordon.json`, written last into a finished folder: the package, and the hash of the manifest of its files. A folder
 * without a receipt was never finished, and does not count as installed.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { InstalledPackage } from '../../ports/catalog-port.ts'

export const RECEIPT_FILE = 'cordon.json'
export const MANIFEST_FILE = 'manifest.json'

export interface Receipt
  extends Omit<InstalledPackage, 'folder' | 'entry' | 'mcpName' | 'manifest'> {
  readonly format: 1
  /** The hash of `manifest.json`. */
  readonly manifest: string
}

const Shape: z.ZodType<Receipt> = z.object({
  format: z.literal(1),
  package: z.string(),
  version: z.string(),
  integrity: z.string(),
  publisher: z.string().exactOptional(),
  publishedAt: z.string().exactOptional(),
  hasProvenance: z.boolean().exactOptional(),
  signature: z.enum(['npm', 'registry', 'none', 'unknown']).exactOptional(),
  provenance: z
    .object({ repository: z.string(), workflow: z.string().exactOptional() })
    .exactOptional(),
  unproven: z.string().exactOptional(),
  deprecated: z.string().exactOptional(),
  bytes: z.int(),
  packages: z.int(),
  refusedScripts: z.array(z.string()),
  prebuilt: z.array(z.string()).exactOptional(),
  ranScripts: z.array(z.string()).exactOptional(),
  manifest: z.string(),
})

export function spellReceipt(receipt: Receipt): string {
  return `${JSON.stringify(receipt, undefined, 2)}\n`
}

/** Throws an ordinary error if the receipt is missing or malformed. */
export async function readReceipt(folder: string): Promise<Receipt> {
  const written: unknown = JSON.parse(await readFile(path.join(folder, RECEIPT_FILE), 'utf8'))
  return Shape.parse(withoutOldWord(written))
}

/** Receipts of an earlier Cordon have a word for the provenance, which nothing had verified. */
function withoutOldWord(written: unknown): unknown {
  if (typeof written !== 'object' || written === null || !('provenance' in written)) return written
  const { provenance, ...rest } = written
  return typeof provenance === 'string' ? rest : written
}
