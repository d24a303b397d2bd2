/**
 * The record of one tool call: `call.begin` is on disk before the call may happen, `call.end` says what became of it.
 * Arguments and results enter only as described values. An entry that is never ended closes itself as failed.
 */
import type { AuditEvent } from '../kernel/audit-record.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { Audit, AuditEntry, Log } from '../kernel/ports.ts'
import type { ToolCall, ToolResult, Verdict } from '../kernel/tool-call.ts'
import { showTool } from '../kernel/tool-id.ts'
import type { ValueDescriber } from './describe-value.ts'

interface Writing {
  readonly audit: Pick<Audit, 'append' | 'appendDurable'>
  readonly describe: ValueDescriber
  readonly log: Log
}

export async function beginCall(
  { audit, describe, log }: Writing,
  call: ToolCall,
  verdict: Verdict,
): Promise<AuditEntry> {
  const event = (kind: AuditEvent['kind'], details: JsonObject): AuditEvent => ({
    kind,
    principal: call.principal.id,
    subject: showTool(call.tool),
    details: { callId: call.callId, ...details },
  })
  const args = {
    shape: describe.shape(call.args),
    hash: describe.hash(call.args),
    preview: describe.preview(call.args),
  }
  await audit.appendDurable(
    event('call.begin', { verdict: verdict.kind, rule: verdict.rule, args }),
  )
  let ended = false
  return {
    async end(result) {
      audit.append(event('call.end', outcomeOf(result, describe)))
      ended = true
      return result
    },
    async [Symbol.asyncDispose]() {
      if (ended) return
      try {
        audit.append(event('call.end', { kind: 'failed' }))
      } catch (cause) {
        log.error('The end of a tool call could not be written to the audit log', { cause })
      }
    },
  }
}

function outcomeOf(result: ToolResult, describe: ValueDescriber): JsonObject {
  if (result.kind !== 'ok') return { kind: result.kind, reason: describe.preview(result.reason) }
  const { value, label } = result
  return {
    kind: 'ok',
    level: label.level,
    result: { shape: describe.shape(value), hash: describe.hash(value) },
  }
}
