/** Somebody else's words on their way to a person: one line, short, without secrets and without a full stop at the end. */
import { CordonError } from '../../kernel/error.ts'
import { cutText, seenText } from '../../text/untrusted-text.ts'
import type { Redactor } from '../../kernel/ports.ts'

const MAX = 300

export function foreignText(text: string, redactor: Pick<Redactor, 'redact'>): string {
  const line = seenText(text).replace(/\s+/g, ' ').trim()
  // Cut last of the three: half a secret would not be known for one. What is short is quickly searched for full stops.
  return cutText(redactor.redact(line), MAX).replace(/\.+$/, '')
}

/** Why something did not work. Only our own errors are meant for people; of another there is nothing to show. */
export function reasonFor(error: unknown, redactor: Pick<Redactor, 'redact'>): string {
  if (!(error instanceof CordonError)) return 'something unexpected went wrong; see the log'
  return foreignText(`${error.message}. ${error.hint}`, redactor)
}
