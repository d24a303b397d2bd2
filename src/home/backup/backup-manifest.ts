/** The first member of a backup: what it is, which Cordon made it and when. Parsed strictly before anything is written. */
import { z } from 'zod'
import { newerBackup, notABackup } from './backup-errors.ts'

export interface BackupManifest {
  readonly format: 'cordon-backup'
  readonly version: 1
  /** The version of the Cordon that made it. */
  readonly cordon: string
  readonly madeAt: string
  /** With PostgreSQL, tables and runs are in the database and not in the backup. */
  readonly store: 'sqlite' | 'postgresql'
  /** The source of the vault's key; that of a keychain is in the backup as a key file. Null without a vault. */
  readonly vaultKey: 'keychain' | 'passphrase' | 'keyfile' | null
}

const format = z.literal('cordon-backup')
const cordon = z.string().regex(/^[\w.+-]{1,64}$/)

const shape: z.ZodType<BackupManifest> = z.strictObject({
  format,
  version: z.literal(1),
  cordon,
  madeAt: z.iso.datetime(),
  store: z.enum(['sqlite', 'postgresql']),
  vaultKey: z.enum(['keychain', 'passphrase', 'keyfile']).nullable(),
})
const later = z.object({ format, version: z.int().min(2), cordon })

export function parseManifest(bytes: Uint8Array): BackupManifest {
  const found = readJson(bytes)
  const newer = later.safeParse(found)
  if (newer.success) throw newerBackup(newer.data.cordon)
  const manifest = shape.safeParse(found)
  if (!manifest.success) throw notABackup()
  return manifest.data
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    throw notABackup()
  }
}
