/** Somebody else's words on their way to a person: one line, short, without secrets and without a full stop at the end. */
import { CordonError } from '../kernel/error.ts'
import type { Redactor } from '../kernel/ports.ts'

const MAX = 300
/** What moves a cursor, and what hides text or turns it round. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- these are what must go
  /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/g

export function foreignText(text: string, redactor: Pick<Redactor, 'redact'>): string {
  const line = redactor.redact(text).replace(UNSEEN, ' ').trim().replace(/\.+$/, '')
  return line.length > MAX ? `${line.slice(0, MAX).toWellFormed()}…` : line
}

/** Why something did not work. Only our own errors are meant for people; of another there is nothing to show. */
export function reasonFor(error: unknown, redactor: Pick<Redactor, 'redact'>): string {
  if (!(error instanceof CordonError)) return 'something unexpected went wrong; see the log'
  return foreignText(`${error.message}. ${error.hint}`, redactor)
}
