/** The audit events of questions and grants: who, which, how. Names and hashes, never a value. */
import type { ApprovalRow } from '../../kernel/approval-port.ts'
import type { AuditEvent } from '../../kernel/audit-record.ts'
import type { Grant } from '../../kernel/grant.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { GrantOffer } from '../../kernel/tool-call.ts'
import { showTool } from '../../kernel/tool-id.ts'
import type { KeptCall } from './kept-call.ts'

type ApprovalEvent =
  `approval.${'asked' | 'answered' | 'spent' | 'used' | 'expired' | 'void' | 'refused'}`

export function approvalEvent(
  kind: ApprovalEvent,
  principal: PrincipalId,
  question: string,
  details: JsonObject,
): AuditEvent {
  return { kind, principal, subject: question, details }
}

/** One call of a question, as it stands in the audit log. */
export function itemDetails({ digest, callId, taskId }: ApprovalRow, call?: KeptCall): Json {
  const about = call && {
    tool: showTool({ server: call.server, name: call.tool }),
    rule: call.rule,
    args: call.about.map(({ name }) => name),
  }
  return { digest, callId, taskId, ...about }
}

export function grantEvent(
  kind: `grant.${'given' | 'used' | 'revoked'}`,
  principal: PrincipalId,
  grant: Pick<Grant, 'id' | 'server' | 'tool'> & { readonly kind: GrantOffer },
  details: JsonObject = {},
): AuditEvent {
  const subject = showTool({ server: grant.server, name: grant.tool })
  return { kind, principal, subject, details: { grant: grant.id, of: grant.kind, ...details } }
}
