/**
 * Packs the files of an import into one backup, cut into parts that the vault can store. A configuration may hold
 * tokens in plain text, so its copy is stored only in the vault, encrypted.
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import { z } from 'zod'
import { CordonError } from '../../kernel/error.ts'
import type { Lease } from '../../kernel/ports.ts'
import type { SecretRef } from '../../kernel/secret-ref.ts'
import type { SourceFile } from './server-draft.ts'

const PART_BYTES = 60_000
const MAX_PARTS = 32

const PACKED: z.ZodType<readonly { path: string; base64: string }[]> = z.array(
  z.object({ path: z.string(), base64: z.string() }),
)

export interface BackupPart {
  readonly name: string
  readonly bytes: Buffer
}

export function packBackup(importId: string, files: readonly SourceFile[]): readonly BackupPart[] {
  const packed = files.map(({ path, bytes }) => ({ path, base64: bytes.toString('base64') }))
  const zipped = gzipSync(JSON.stringify(packed))
  const count = Math.ceil(zipped.length / PART_BYTES)
  if (count > MAX_PARTS) {
    throw new CordonError(
      'servers.backup-size',
      { exit: 2, hint: 'Import without --backup; the original is not changed' },
      'Cannot keep a copy of the original in the vault: it is too large',
    )
  }
  return Array.from({ length: count }, (_, index) => ({
    name: `import-backup/${importId}${index === 0 ? '' : `/${index + 1}`}`,
    bytes: zipped.subarray(index * PART_BYTES, (index + 1) * PART_BYTES),
  }))
}

/** The references of the parts, for a lease, by name. */
export function backupRefs(names: readonly string[]): Readonly<Record<string, SecretRef>> {
  return Object.fromEntries(names.map((name) => [name, { scheme: 'vault', name }]))
}

export function unpackBackup(names: readonly string[], lease: Lease): readonly SourceFile[] {
  const zipped = Buffer.concat(names.map((name) => lease.value(name)))
  const packed = PACKED.parse(JSON.parse(gunzipSync(zipped).toString()))
  return packed.map(({ path, base64 }) => ({ path, bytes: Buffer.from(base64, 'base64') }))
}
