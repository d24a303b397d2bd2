/**
 * The audit records of one tool call: `call.begin` is written before the call may happen, `call.end` holds its outcome.
 * Arguments and results enter only as described values. An entry that is never ended closes itself as failed. Every
 * call pays for these two lines, so they are built by hand in canonical member order, and no text is sanitised twice.
 */
import type { Disarmed } from '../text/disarmed.ts'
import type { AuditKind } from '../kernel/audit-kinds.ts'
import { type Effect, isRead } from '../kernel/effect.ts'
import type { AuditEntry, Log } from '../kernel/ports.ts'
import type { ToolCall, ToolResult, Verdict } from '../kernel/tool-call.ts'
import { showTool } from '../kernel/tool-id.ts'
import type { ValueDescriber } from './value-describer.ts'
import type { SealedLog } from './sealed-log.ts'
import type { SpelledEvent, Speller } from './spell-event.ts'

interface Writing {
  readonly audit: Pick<SealedLog, 'append' | 'appendLater' | 'appendSoon' | 'appendDurable'>
  readonly describe: ValueDescriber
  readonly spell: Speller
  readonly log: Log
}

export async function beginCall(
  writing: Writing,
  call: ToolCall,
  verdict: Verdict,
  { effect, grounds }: { readonly effect: Effect; readonly grounds?: string | undefined },
): Promise<AuditEntry> {
  const { audit, describe, spell } = writing
  const spelled: Spelled = {
    callId: spell.id(call.callId),
    principal: spell.principal(call.principal.id),
    subject: spell.subject(showTool(call.tool)),
  }
  const args = describeArguments(call, describe)
  const disarmed = call.disarmed ? `,"disarmed":${spellDisarmed(call.disarmed, spell)}` : ''
  const known = grounds === undefined ? '' : `,"grounds":${spell.term(grounds)}`
  const judged = `"effect":"${effect}"${known},"rule":${spell.term(verdict.rule)},"verdict":"${verdict.kind}"`
  const details = `"args":${args},"callId":${spelled.callId}${disarmed},${judged}`
  const begun = eventOf('call.begin', spelled, details)
  const wasRead = isRead(effect)
  if (wasRead) await audit.appendSoon(begun)
  else await audit.appendDurable(begun)
  return new CallEntry(writing, spelled, wasRead)
}

/** Members that both records have, in canonical JSON. */
interface Spelled {
  readonly callId: string
  readonly principal: string
  readonly subject: string
}

class CallEntry implements AuditEntry {
  readonly #writing: Writing
  readonly #spelled: Spelled
  readonly #wasRead: boolean
  #isEnded = false

  constructor(writing: Writing, spelled: Spelled, wasRead: boolean) {
    this.#writing = writing
    this.#spelled = spelled
    this.#wasRead = wasRead
  }

  end(result: ToolResult): ToolResult | Promise<ToolResult> {
    const { audit, describe } = this.#writing
    const done = this.#ending(outcomeOf(result, describe, this.#wasRead))
    if (!this.#wasRead) return this.#endSoon(done, result)
    audit.appendLater(done)
    this.#isEnded = true
    return result
  }

  async #endSoon(done: SpelledEvent, result: ToolResult): Promise<ToolResult> {
    await this.#writing.audit.appendSoon(done)
    this.#isEnded = true
    return result
  }

  [Symbol.dispose](): void {
    if (this.#isEnded) return
    const { audit, log } = this.#writing
    try {
      audit.append(this.#ending('"kind":"failed"'))
    } catch (cause) {
      log.error('The end of a tool call could not be written to the audit log', { cause })
    }
  }

  #ending(outcome: string): SpelledEvent {
    return eventOf('call.end', this.#spelled, `"callId":${this.#spelled.callId},${outcome}`)
  }
}

function eventOf(kind: AuditKind, { principal, subject }: Spelled, details: string): SpelledEvent {
  return { kind: `"${kind}"`, principal, subject, details: `{${details}}` }
}

function describeArguments({ args }: ToolCall, describe: ValueDescriber): string {
  return `{"hash":${describe.hash(args)},"preview":${describe.preview(args)},"shape":${describe.shape(args)}}`
}

/** Counts and argument names: the text itself is in the record as little as any other. */
function spellDisarmed(disarmed: readonly Disarmed[], spell: Speller): string {
  const places = disarmed.map(
    ({ arg, links, numbers }) => `{"arg":${spell.word(arg)},"links":${links},"numbers":${numbers}}`,
  )
  return `[${places.join(',')}]`
}

/** The result of a read gets a shape and no hash: it may be large, and the source still has it. */
function outcomeOf(result: ToolResult, describe: ValueDescriber, wasRead: boolean): string {
  const kind = `"kind":"${result.kind}"`
  if (result.kind !== 'ok') return `${kind},"reason":${describe.preview(result.reason)}`
  const { value, label } = result
  const hash = wasRead ? '' : `"hash":${describe.hash(value)},`
  return `${kind},"level":"${label.level}","result":{${hash}"shape":${describe.shape(value)}}`
}
