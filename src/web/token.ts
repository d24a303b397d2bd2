/** Random tokens, and the hash under which they are stored. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 bits, safe in a URL, a header and a cookie. */
export function createToken(): string {
  return randomBytes(32).toString('base64url')
}

/** SHA-256 in hex. A fast hash is enough: there is nothing to guess in 256 random bits. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
