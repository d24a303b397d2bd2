/**
 * `vault/header.json`: the master keys, each wrapped by the key-encryption key, and the source of the key-encryption
 * key. Written whole, read strictly. A header that cannot be read is never taken for a vault that does not exist.
 */
import { join } from 'node:path'
import { z } from 'zod'
import type { Files } from '../kernel/ports.ts'
import type { KeySource } from '../kernel/vault-status.ts'
import { base64Bytes, boxShape, type SealedBox } from './sealed-box.ts'
import { headerDamaged } from './vault-errors.ts'

/** The argon2id parameters (RFC 9106) that, with the salt, derive the same key from the same passphrase again. */
export interface KdfCost {
  readonly memoryKiB: number
  readonly passes: number
  readonly parallelism: number
}
export interface Kdf extends KdfCost {
  readonly salt: string
}

export interface WrappedKey extends SealedBox {
  readonly id: string
}

export interface Header {
  readonly version: 1
  /** Names this vault's entry in the OS keychain, so that two homes never share one. */
  readonly vault: string
  readonly keySource: KeySource
  readonly kdf?: Kdf
  readonly activeKey: string
  /** More than one key only during a rotation, or while a damaged record may still need an old key. */
  readonly keys: readonly WrappedKey[]
  /** The key source before a rotation; its key is removed when the rotation is complete. */
  readonly retired?: KeySource
}

const id = z.string().regex(/^[0-9a-f]{32}$/)
const keySource = z.enum(['keychain', 'passphrase', 'keyfile'])

// The limits keep a tampered header from claiming all memory, and the parameters within the range that argon2 accepts.
const kdf = z.strictObject({
  salt: base64Bytes(16),
  memoryKiB: z.int().min(128).max(1_048_576),
  passes: z.int().min(1).max(16),
  parallelism: z.int().min(1).max(16),
})

const shape: z.ZodType<Header> = z
  .strictObject({
    version: z.literal(1),
    vault: id,
    keySource,
    kdf: kdf.exactOptional(),
    activeKey: id,
    keys: z.array(z.strictObject({ id, ...boxShape })).min(1),
    retired: keySource.exactOptional(),
  })
  .refine((header) => (header.keySource === 'passphrase') === (header.kdf !== undefined))
  .refine((header) => header.keys.some((key) => key.id === header.activeKey))

export interface HeaderFile {
  /** The header, or undefined where there is no vault. */
  read(): Promise<Header | undefined>
  write(header: Header): Promise<void>
}

/** `hasRecords` distinguishes a vault that lost its header from a home that never had a vault. */
export function createHeaderFile(
  files: Files,
  folder: string,
  hasRecords: () => Promise<boolean>,
): HeaderFile {
  const path = join(folder, 'header.json')
  return {
    async read(): Promise<Header | undefined> {
      const bytes = await files.read(path)
      if (bytes) return parseHeader(bytes, path)
      if (await hasRecords()) throw headerDamaged(path)
      return undefined
    },
    write: (header) => files.write(path, `${JSON.stringify(header, null, 2)}\n`),
  }
}

function parseHeader(bytes: Buffer, path: string): Header {
  try {
    return shape.parse(JSON.parse(bytes.toString()))
  } catch {
    throw headerDamaged(path)
  }
}
