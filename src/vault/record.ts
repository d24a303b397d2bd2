/**
 * One secret on disk. Each record has a key of its own (HKDF, own salt), and owner, name, times and master key are
 * authenticated data: a record that is swapped, renamed, given to another owner or re-dated no longer decrypts. Not
 * protected: rollback. An older copy of the same record, put back whole, does decrypt.
 */
import { createHash, hkdfSync, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { JsonObject } from '../text/json.ts'
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
  /** Cut short, altered or not ours. Owner and name are given only if they hash to the file's name. */
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

/** The file name of a secret's record: a hash, so that names and owners stay out of it and cannot collide. */
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

/** The value, or undefined if the record was altered. The caller wipes the value. */
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
