/**
 * Sanitises a server's text for people and callers: drops invisible characters, redacts secrets, then cuts to length.
 * The order makes it safe: a secret is recognised only when it is whole and no invisible character splits it.
 */
import { cutText, seenText } from '../../text/untrusted-text.ts'

const MAX_TEXT = 2000

export type Redact = (text: string) => string

export function cleanText(text: string, redact: Redact, max: number = MAX_TEXT): string {
  return cutText(redact(seenText(text)), max)
}
