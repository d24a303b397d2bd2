/** Compares addresses: the same mailbox, telephone or account gives the same key, however it is spaced or cased. Pure. */

import type { Json } from '../../text/json.ts'

const MAIL = /^[^\s@<>"]{1,128}@[^\s@<>"]{1,255}$/
const TELEPHONE = /^(?:\+|00)\d[\d ().-]{5,24}$/
const IBAN = /^[a-z]{2}\d{2}[a-z0-9]{11,30}$/i

/**
 * Undefined for text that cannot be an address. No letter is folded to another alphabet: an address that only looks like
 * a contact's has another key.
 */
export function addressKey(text: string): string | undefined {
  const plain = text.normalize('NFC').trim()
  if (plain === '' || plain.length > MOST_CHARACTERS || hasControl(plain)) return undefined
  if (MAIL.test(plain)) return `mail:${plain.toLowerCase()}`
  if (TELEPHONE.test(plain)) return `tel:${plain.replace(/^00/, '+').replace(/[^\d+]/g, '')}`
  const joined = plain.replace(/[ -]/g, '')
  if (IBAN.test(joined)) return `account:${joined.toUpperCase()}`
  return /\s/.test(plain) ? undefined : `id:${plain}`
}

const MOST_ADDRESSES = 20

/** The addresses in a value; none if anything else is in it. An id without a form of its own is no address here. */
export function addressesIn(value: Json): readonly string[] {
  const all = Array.isArray(value) ? (value as readonly Json[]) : [value]
  const isPlain = (one: Json): one is string =>
    typeof one === 'string' && !(addressKey(one) ?? 'id:').startsWith('id:')
  return all.length <= MOST_ADDRESSES && all.every(isPlain) ? all : []
}

export const MOST_CHARACTERS = 320

function hasControl(text: string): boolean {
  return /[\p{Cc}\p{Cf}]/u.test(text)
}
