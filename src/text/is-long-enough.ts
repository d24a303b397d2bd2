/** The least length of a new passphrase: the vault enforces it, and a prompt refuses a shorter one before it is repeated. */

export const LEAST_PASSPHRASE = 8

/** Counts characters after NFKC, as the key is derived. */
export function isLongEnough(passphrase: string): boolean {
  return Array.from(passphrase.normalize('NFKC')).length >= LEAST_PASSPHRASE
}
