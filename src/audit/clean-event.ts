/** An event as it may be written: every word of it passed the redactor, and nothing in it is shaped like a credential. */
import type { AuditEvent, AuditKind } from '../kernel/audit-record.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { Redactor } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { cutText } from './cut-text.ts'
import { hideCredentials } from './hide-credentials.ts'
import { tameJson } from './tame-json.ts'

const MAX_KIND = 128
const MAX_PRINCIPAL = 256
const MAX_SUBJECT = 512

export function cleanEvent(event: AuditEvent, redactor: Redactor): AuditEvent {
  const clean = (raw: string): string => hideCredentials(redactor.redact(raw.toWellFormed()))
  const { kind, principal, subject, details } = event
  return {
    kind: cutText(clean(kind), MAX_KIND) as AuditKind,
    principal: cutText(redactor.redact(principal.toWellFormed()), MAX_PRINCIPAL) as PrincipalId,
    ...(subject === undefined ? {} : { subject: cutText(clean(subject), MAX_SUBJECT) }),
    ...(details === undefined ? {} : { details: tameJson(details, clean) as JsonObject }),
  }
}
