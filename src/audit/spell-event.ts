/** An audit event in canonical JSON: every text is redacted, and texts with the shape of a credential are hidden. */
import type { AuditEvent } from '../kernel/audit-record.ts'
import { canonicalJson, type JsonObject } from '../text/json.ts'
import type { Redactor } from '../kernel/ports.ts'
import { cutText } from '../text/untrusted-text.ts'
import { hideCredentials } from '../text/hide-credentials.ts'
import { remembered } from '../text/remembered.ts'
import { tameJson } from './tame-json.ts'

const MAX_KIND = 128
const MAX_PRINCIPAL = 256
const MAX_SUBJECT = 512

/** Each member is canonical JSON. */
export interface SpelledEvent {
  readonly kind: string
  readonly principal: string
  readonly subject: string | undefined
  readonly details: string | undefined
}

export interface Speller {
  kind(text: string): string
  principal(text: string): string
  subject(text: string): string
  /** A short text in the details. */
  word(text: string): string
  /** An id such as `RUN/STEP/1`: its parts are cleaned apart, since together they look as random as a credential. */
  id(text: string): string
  /** Like `word`, for a text that comes with many calls. */
  term(text: string): string
  details(value: JsonObject): string
}

export function createSpeller(redactor: Redactor): Speller {
  const clean = (raw: string): string => hideCredentials(redactor.redact(raw.toWellFormed()))
  // Kept by the redacted text: a secret that is learned later is still redacted.
  const hidden = remembered(hideCredentials)
  const cleanTerm = (raw: string): string => hidden(redactor.redact(raw.toWellFormed()))
  return {
    kind: (text) => canonicalJson(cutText(cleanTerm(text), MAX_KIND)),
    // Not searched for credentials: Cordon defines its form, and a long account name must not be hidden.
    principal: (text) =>
      canonicalJson(cutText(redactor.redact(text.toWellFormed()), MAX_PRINCIPAL)),
    subject: (text) => canonicalJson(cutText(cleanTerm(text), MAX_SUBJECT)),
    word: (text) => canonicalJson(clean(text)),
    id: (text) => canonicalJson(text.split('/').map(clean).join('/')),
    term: (text) => canonicalJson(cleanTerm(text)),
    details: (value) => canonicalJson(tameJson(value, clean)),
  }
}

export function spellEvent(event: AuditEvent, spell: Speller): SpelledEvent {
  const { kind, principal, subject, details } = event
  return {
    kind: spell.kind(kind),
    principal: spell.principal(principal),
    subject: subject === undefined ? undefined : spell.subject(subject),
    details: details === undefined ? undefined : spell.details(details),
  }
}
