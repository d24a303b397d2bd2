/**
 * What comes of a call that gave no answer: another try, an edge of the flow, a question, or the end of the run. Only what
 * reads is tried again by itself. Decides; writes nothing down.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isBuiltIn } from '../../kernel/built-in-tools.ts'
import { isRead } from '../../kernel/effect.ts'
import type { FlowProblem } from '../../kernel/flow-port.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import type { CallResult } from '../../kernel/tool-call.ts'
import type { ToolFacts } from '../../kernel/tool-facts.ts'
import { backoffSeconds, type ErrorAction, type Failure, failureOf } from '../actions.ts'
import type { CallStep } from './call-step.ts'
import { RunLost } from './flow-runtime.ts'
import type { RunContext } from './run-context.ts'
import { RunParked } from './run-ends.ts'

/** From here on the run is put aside while it waits, and can be taken up by anybody. */
const LONG_WAIT_MS = 5000
const RATE_LIMIT_RETRIES = 3
const WORTH_RETRYING: ReadonlySet<ErrorAction> = new Set([
  'rate_limited',
  'timeout',
  'server_error',
  'network_error',
])
const MAX_REASON = 300

type NoAnswer = Exclude<CallResult, { readonly kind: 'ok' }>

export interface FailedCall {
  readonly result: NoAnswer
  readonly facts: ToolFacts | undefined
  readonly hasLeft: boolean
  /** It ended without a word about the call, for example because the record could not be written. */
  readonly isThrown: boolean
  readonly retries: number
}

export type JudgedFailure =
  | { readonly kind: 'action'; readonly action: string; readonly message: string }
  /** It may have been done all the same. */
  | { readonly kind: 'unsure'; readonly message: string }
  | {
      readonly kind: 'failed'
      readonly action: string
      readonly message: string
      /** Absent where it is tried again. */
      readonly problem?: FlowProblem
      readonly retryAt?: number
    }

export function judgeFailure(context: RunContext, step: CallStep, call: FailedCall): JudgedFailure {
  const { result, facts } = call
  if (result.kind === 'refused') return refusal(step, result)
  const { node } = step.turn
  const { reason } = result
  const failure = failureIn(step, result)
  const { action, message } = failure
  const reads = facts !== undefined && isRead(facts.effect)
  const seconds = reads ? secondsToRetry(step, failure, call.retries) : undefined
  if (seconds !== undefined) {
    return { kind: 'failed', action, message, retryAt: context.rooms.now() + seconds * 1000 }
  }
  if (context.walk.leadsOn(node.id, action)) return { kind: 'action', action, message }
  if (!reads && mayHaveHappened(call, reason)) return { kind: 'unsure', message: why(message) }
  const problem = problemOf(step, failure, reason, context.run.id)
  return { kind: 'failed', action, message, problem }
}

function mayHaveHappened({ hasLeft, isThrown }: FailedCall, reason: string): boolean {
  if (!hasLeft || isThrown) return hasLeft
  const isUnsure = UNSURE.some((words) => reason.startsWith(words))
  return isUnsure || UNSURE_STATUS.test(reason) || LOST.test(reason)
}

/** What is ours says best itself what is wrong. */
function failureIn({ turn }: CallStep, result: Extract<NoAnswer, { kind: 'failed' }>): Failure {
  const { tool, serverName, type } = turn.planned
  const failure = failureOf(result, serverName ?? type)
  return isBuiltIn(tool) ? { ...failure, message: result.reason } : failure
}

/** Undefined where it was tried often enough, or another try would only fail again. */
function secondsToRetry(
  { turn }: CallStep,
  { action, retryAfterSeconds = 0 }: Failure,
  retries: number,
): number | undefined {
  const { max_retries, wait = 0 } = turn.node.execution ?? {}
  const most = max_retries ?? (action === 'rate_limited' ? RATE_LIMIT_RETRIES : 0)
  if (retries >= most || !WORTH_RETRYING.has(action)) return undefined
  return Math.max(backoffSeconds(retries), retryAfterSeconds, wait)
}

function problemOf(
  { turn }: CallStep,
  { action, message }: Failure,
  reason: string,
  run: string,
): FlowProblem {
  const server = turn.planned.tool?.server
  const node = turn.node.id
  if (UNAVAILABLE.test(reason)) {
    const code = 'flows.unavailable'
    return { code, message: line(reason), hint: hintFor(code, server, run), node }
  }
  const code = action === 'error' ? 'flows.failed' : `flows.${action.replaceAll('_', '-')}`
  return { code, message, hint: hintFor(code, server, run), node }
}

/** Until then; a long wait puts the run aside. */
export async function waitFor({ run, rooms }: RunContext, time: number): Promise<void> {
  const ms = time - rooms.now()
  if (ms <= 0) return
  if (ms >= LONG_WAIT_MS) throw new RunParked(new Date(time))
  try {
    await sleep(ms, undefined, { signal: run.signal })
  } catch {
    throw new RunLost()
  }
}

function refusal(
  { turn }: CallStep,
  { reason, rule }: Extract<NoAnswer, { kind: 'refused' }>,
): JudgedFailure {
  // The process ends; what was asked stays open for whoever comes back.
  if (rule === 'approval.ending') throw new RunLost()
  const isChanged = rule === 'tool.changed'
  const said = rule === undefined ? line(reason) : `${line(reason)} (${rule})`
  const problem = {
    code: isChanged ? 'flows.pin-changed' : 'flows.refused',
    message: `Cannot call ${turn.planned.type}: ${said}`,
    hint: isChanged
      ? 'Run `cordon flow check` to see what changed, then save the flow again'
      : 'Run `cordon flow check` to see what is refused and what is asked, and why',
    node: turn.node.id,
  }
  return { kind: 'failed', action: 'error', message: problem.message, problem }
}

/** Only what the host itself says of a call: nothing came back, or nothing that could be read. */
const UNSURE: readonly string[] = [
  'Tool call timed out',
  'The server ended while it worked on the call',
  'The call was cancelled',
  'The connection ended before the answer was complete',
  'The answer of the server',
  'The server returned no result',
  'Cannot reach',
]
const UNSURE_STATUS = /^The server answered with HTTP status (?:408|5\d\d)\b/
const LOST = /\bECONN(?:RESET|ABORTED)\b|\bETIMEDOUT\b|\bsocket hang up\b/
const UNAVAILABLE = /^Server "[^"]*" is not available\b/

function hintFor(code: string, server: string | undefined, run: string): string {
  const again = `then \`cordon flow resume ${run} --retry\``
  const isOurs = server === undefined || server.startsWith('~')
  if (isOurs) return `Look at the step with \`cordon flow show ${run}\`, ${again}`
  if (code === 'flows.auth-failed') return `Run \`cordon connect ${server}\`, ${again}`
  if (code === 'flows.unavailable') return `Run \`cordon mcp logs ${server}\`, ${again}`
  return `Look at the step with \`cordon flow show ${run}\`, ${again}`
}

function why(message: string): string {
  return message.replace(/\.\s*$/, '')
}

function line(text: string): string {
  return seenLine(text, MAX_REASON)
}
