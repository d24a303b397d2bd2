/**
 * The audit records of one tool call: `call.begin` is written before the call may happen, `call.end` holds its outcome.
 * Arguments and results enter only as described values. An entry that is never ended closes itself as failed. Every
 * call pays for these two lines, so they are built member by member, and no text is sanitised twice.
 */
import type { Disarmed } from '../text/disarmed.ts'
import type { AuditKind } from '../kernel/audit-kinds.ts'
import { type Effect, isRead } from '../kernel/effect.ts'
import type { AuditEntry, Log } from '../kernel/ports.ts'
import type { ToolCall, ToolResult, Verdict } from '../kernel/tool-call.ts'
import { showTool } from '../kernel/tool-id.ts'
import type { ValueDescriber } from './value-describer.ts'
import type { SealedLog } from './sealed-log.ts'
import {
  type SpelledEvent,
  type SpelledMembers,
  type Speller,
  spellMembers,
} from './spell-event.ts'

interface Writing {
  readonly audit: Pick<SealedLog, 'append' | 'appendLater' | 'appendSoon' | 'appendDurable'>
  readonly describe: ValueDescriber
  readonly spell: Speller
  readonly log: Log
}

export async function beginCall(
  { audit, describe, spell, log }: Writing,
  call: ToolCall,
  verdict: Verdict,
  { effect, grounds }: { readonly effect: Effect; readonly grounds?: string | undefined },
): Promise<AuditEntry> {
  const principal = spell.principal(call.principal.id)
  const subject = spell.subject(showTool(call.tool))
  const callId = spell.word(call.callId)
  const event = (kind: AuditKind, details: SpelledMembers): SpelledEvent => ({
    kind: `"${kind}"`,
    principal,
    subject,
    details: spellMembers(details),
  })
  const begun = event('call.begin', {
    args: describeArguments(call, describe),
    callId,
    ...(call.disarmed && { disarmed: spellDisarmed(call.disarmed, spell) }),
    effect: `"${effect}"`,
    ...(grounds !== undefined && { grounds: spell.word(grounds) }),
    rule: spell.word(verdict.rule),
    verdict: `"${verdict.kind}"`,
  })
  const wasRead = isRead(effect)
  if (wasRead) await audit.appendSoon(begun)
  else await audit.appendDurable(begun)
  let ended = false
  return {
    async end(result) {
      const done = event('call.end', { callId, ...outcomeOf(result, describe, wasRead) })
      if (wasRead) audit.appendLater(done)
      else await audit.appendSoon(done)
      ended = true
      return result
    },
    async [Symbol.asyncDispose]() {
      if (ended) return
      try {
        audit.append(event('call.end', { callId, kind: '"failed"' }))
      } catch (cause) {
        log.error('The end of a tool call could not be written to the audit log', { cause })
      }
    },
  }
}

function describeArguments({ args }: ToolCall, describe: ValueDescriber): string {
  return spellMembers({
    hash: describe.hash(args),
    preview: describe.preview(args),
    shape: describe.shape(args),
  })
}

/** Counts and argument names: the text itself is in the record as little as any other. */
function spellDisarmed(disarmed: readonly Disarmed[], spell: Speller): string {
  const places = disarmed.map(({ arg, links, numbers }) =>
    spellMembers({ arg: spell.word(arg), links: String(links), numbers: String(numbers) }),
  )
  return `[${places.join(',')}]`
}

/** The result of a read gets a shape and no hash: it may be large, and the source still has it. */
function outcomeOf(result: ToolResult, describe: ValueDescriber, wasRead: boolean): SpelledMembers {
  const kind = `"${result.kind}"`
  if (result.kind !== 'ok') return { kind, reason: describe.preview(result.reason) }
  const { value, label } = result
  const shape = describe.shape(value)
  const described = wasRead ? { shape } : { hash: describe.hash(value), shape }
  return { kind, level: `"${label.level}"`, result: spellMembers(described) }
}
