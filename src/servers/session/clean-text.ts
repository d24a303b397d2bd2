/**
 * A server's own words on their way to people and callers: nothing that cannot be seen, no secret, and never long. The
 * order is what makes it safe: a secret is known only when it is whole and nothing stands between its letters.
 */
import { cutText, seenText } from '../../text/untrusted-text.ts'

const MAX_TEXT = 2000

export type Redact = (text: string) => string

export function cleanText(text: string, redact: Redact, max: number = MAX_TEXT): string {
  return cutText(redact(seenText(text)), max)
}
