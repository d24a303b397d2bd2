/** Sanitises untrusted text for a person: one short line, without secrets and without a full stop at the end. */
import { CordonError } from '../../kernel/error.ts'
import { cutText, seenText } from '../../text/untrusted-text.ts'
import type { Redactor } from '../../kernel/ports.ts'

const MAX = 300

export function foreignText(text: string, redactor: Pick<Redactor, 'redact'>): string {
  const line = seenText(text).replace(/\s+/g, ' ').trim()
  // Cut after redaction: half a secret would not be recognised. Cut before the pattern, which then reads little.
  return cutText(redactor.redact(line), MAX).replace(/\.+$/, '')
}

/** The reason of a failure. Only a `CordonError` is meant for people; any other error is shown in the log only. */
export function reasonFor(error: unknown, redactor: Pick<Redactor, 'redact'>): string {
  if (!(error instanceof CordonError)) return 'something unexpected went wrong; see the log'
  return foreignText(`${error.message}. ${error.hint}`, redactor)
}
