/**
 * AES-256-GCM. The binding (`boundTo`) is additional authenticated data: authenticated, not stored, so a box opens only
 * with the same key in the same place. Bytes that fail authentication are wiped, never returned.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson, type JsonObject } from '../text/json.ts'

const CIPHER = 'aes-256-gcm'
const TAG_LENGTH = 16

export const KEY_LENGTH = 32

export interface SealedBox {
  readonly iv: string
  readonly ciphertext: string
  readonly tag: string
}

/** Base64 text of exactly this many bytes. */
export function base64Bytes(length: number): z.ZodType<string> {
  return z.base64().refine((text) => Buffer.byteLength(text, 'base64') === length)
}

export const boxShape: {
  iv: z.ZodType<string>
  ciphertext: z.ZodType<string>
  tag: z.ZodType<string>
} = { iv: base64Bytes(12), ciphertext: z.base64(), tag: base64Bytes(TAG_LENGTH) }

export function seal(key: Uint8Array, plain: Uint8Array, boundTo: JsonObject): SealedBox {
  const iv = randomBytes(12)
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_LENGTH })
  cipher.setAAD(Buffer.from(canonicalJson(boundTo)))
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()])
  return {
    iv: iv.toString('base64'),
    ciphertext: ciphertext.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
  }
}

/** The bytes, or undefined if the key, the box or its binding differs from the sealing. */
export function unseal(key: Uint8Array, box: SealedBox, boundTo: JsonObject): Buffer | undefined {
  const iv = Buffer.from(box.iv, 'base64')
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_LENGTH })
  decipher.setAAD(Buffer.from(canonicalJson(boundTo)))
  decipher.setAuthTag(Buffer.from(box.tag, 'base64'))
  const plain = decipher.update(Buffer.from(box.ciphertext, 'base64'))
  try {
    decipher.final()
    return plain
  } catch {
    plain.fill(0)
    return undefined
  }
}
