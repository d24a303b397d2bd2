/**
 * One secret on disk. Its key is made for it alone (HKDF, own salt), and the box is bound to owner, name, times
 * and master key: a record that is swapped, renamed, given to another or re-dated no longer opens.
 * An older copy of the same record, put back whole, does open: no file can tell that it is not the newest.
 */
import { createHash, hkdfSync, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { JsonObject } from '../kernel/json.ts'
import { SECRET_NAME } from '../kernel/secret-ref.ts'
import type { Keyring } from './keyring.ts'
import { base64Bytes, boxShape, KEY_LENGTH, type SealedBox, seal, unseal } from './sealed-box.ts'

export interface RecordAbout {
  readonly principal: string
  readonly name: string
  readonly createdAt: string
  readonly updatedAt: string
}

export interface StoredRecord extends RecordAbout, SealedBox {
  readonly version: 1
  /** Id of the master key. */
  readonly key: string
  readonly salt: string
}

export type RecordState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'intact'; readonly record: StoredRecord }
  /** Cut short, altered or not ours. The owner and name are told only where they fit the file. */
  | {
      readonly kind: 'damaged'
      readonly of?: { readonly principal: string; readonly name: string }
    }

const owned = {
  principal: z.string().refine((text) => text.isWellFormed()),
  name: z.string().regex(SECRET_NAME),
}
const shape: z.ZodType<StoredRecord> = z.strictObject({
  version: z.literal(1),
  ...owned,
  key: z.string(),
  salt: base64Bytes(32),
  ...boxShape,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
const ownedShape = z.object(owned)

/** The file a secret lives in. Names and owners stay out of the file name, and cannot collide in it. */
export function recordId(principal: string, name: string): string {
  return createHash('sha256').update(`${principal}\0${name}`).digest('hex').slice(0, 32)
}

export function parseRecord(id: string, bytes: Buffer | undefined): RecordState {
  if (!bytes) return { kind: 'absent' }
  const json = parseJson(bytes)
  const of = ownedShape.safeParse(json)
  if (!of.success || recordId(of.data.principal, of.data.name) !== id) return { kind: 'damaged' }
  const record = shape.safeParse(json)
  return record.success ? { kind: 'intact', record: record.data } : { kind: 'damaged', of: of.data }
}

export function sealRecord(ring: Keyring, about: RecordAbout, value: Uint8Array): StoredRecord {
  const master = ring.masters.get(ring.active)
  if (!master) throw new TypeError('A keyring holds its active key')
  const salt = randomBytes(32)
  const key = recordKey(master, salt)
  const box = seal(key, value, boundTo(about, ring.active))
  key.fill(0)
  return { version: 1, ...about, key: ring.active, salt: salt.toString('base64'), ...box }
}

/** The value, or undefined where the record is not what was sealed. The caller wipes it. */
export function openRecord(ring: Keyring, record: StoredRecord): Buffer | undefined {
  const master = ring.masters.get(record.key)
  if (!master) return undefined
  const key = recordKey(master, Buffer.from(record.salt, 'base64'))
  const value = unseal(key, record, boundTo(record, record.key))
  key.fill(0)
  return value
}

function recordKey(master: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', master, salt, 'cordon/vault/record/1', KEY_LENGTH))
}

function boundTo(about: RecordAbout, key: string): JsonObject {
  const { principal, name, createdAt, updatedAt } = about
  return { version: 1, principal, name, createdAt, updatedAt, key }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}
