/**
 * Decides what follows a call that gave no result: another try, an edge of the flow, a question to the owner, or the
 * end of the run. Only reads are retried unasked.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isBuiltIn } from '../../kernel/built-in-tools.ts'
import { isRead } from '../../kernel/effect.ts'
import type { FlowProblem } from '../../ports/flow-port.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import type { CallResult } from '../../kernel/tool-call.ts'
import type { ToolFacts } from '../../kernel/tool-facts.ts'
import { backoffSeconds, type ErrorAction, type Failure, failureOf } from './error-actions.ts'
import type { CallStep } from './call-step.ts'
import { RunLost, type StoredStep } from '../runs/flow-runtime.ts'
import { LONGEST_WAIT_MS } from '../runs/forward-clock.ts'
import { findLack, needsNow } from '../runs/run-needs.ts'
import { asJson } from './journal.ts'
import type { RunContext } from './run-context.ts'
import { RunParked, RunUnserved } from './run-ends.ts'

/** A wait of this length or more parks the run, and any process can resume it. */
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
type Failed = Extract<NoAnswer, { readonly kind: 'failed' }>

export interface FailedCall {
  readonly result: NoAnswer
  readonly facts: ToolFacts | undefined
  readonly hasLeft: boolean
  /** An error was thrown instead of a result, for example because the audit record could not be written. */
  readonly isThrown: boolean
  readonly retries: number
}

interface Said {
  /** The server's own text in full, for `flow show`. */
  readonly said?: string
}

export type JudgedFailure =
  | (Said & { readonly kind: 'action'; readonly action: string; readonly message: string })
  /** The call may have been executed all the same. */
  | { readonly kind: 'ambiguous'; readonly message: string }
  | (Said & {
      readonly kind: 'failed'
      readonly action: string
      readonly message: string
      /** Absent if the call is retried. */
      readonly problem?: FlowProblem
      readonly retryAt?: number
    })

export function judgeFailure(context: RunContext, step: CallStep, call: FailedCall): JudgedFailure {
  const { result, facts } = call
  if (result.kind === 'refused') return refusal(context, step, result)
  const { node } = step.turn
  const failure = failureIn(step, result)
  const { action, message, said } = failure
  const told = { action, message, ...(said !== undefined && { said }) }
  const reads = facts !== undefined && isRead(facts.effect)
  const seconds = reads ? secondsToRetry(step, failure, call.retries) : undefined
  if (seconds !== undefined) {
    return { kind: 'failed', ...told, retryAt: context.deps.waitNow() + seconds * 1000 }
  }
  if (context.walk.leadsOn(node.id, action)) return { kind: 'action', ...told }
  if (!reads && mayHaveHappened(call, result)) return { kind: 'ambiguous', message: why(message) }
  const problem = problemOf(step, failure, result, context.run.id)
  return { kind: 'failed', ...told, problem }
}

/** Codes of the host for a server that it could not start, or for a credential that it could not lend. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'call.unavailable',
  'servers.no-credential',
  'servers.start',
  'servers.vault-locked',
  'vault.absent',
  'vault.expired',
  'vault.locked',
  'vault.missing',
])

/**
 * For a call that its server was never sent, since it could not be started: gives the run back if this kernel lacks a
 * need of it by now, such as an unlocked vault. Another kernel may have it.
 */
export async function refuseIfLacking(
  { deps, run, plan }: RunContext,
  row: StoredStep,
  result: NoAnswer,
): Promise<void> {
  if (!run.isShared || result.kind !== 'failed' || !NEVER_SENT.has(result.code ?? '')) return
  const lack = await findLack(deps, needsNow(deps, plan, run), run.signal)
  if (!lack) return
  const message = `Not called: ${lack.text}`
  await run.failed(row, asJson({ action: 'error', message, isInterrupted: true }))
  throw new RunUnserved(lack.need, lack.text)
}

function mayHaveHappened({ hasLeft, isThrown }: FailedCall, { code, reason }: Failed): boolean {
  if (!hasLeft || isThrown) return hasLeft
  return code === undefined ? LOST.test(reason) : AMBIGUOUS.has(code)
}

/** Built-in tools explain their failures themselves. */
function failureIn({ turn }: CallStep, result: Failed): Failure {
  const { tool, serverName, type } = turn.planned
  const failure = failureOf(result, serverName ?? type)
  if (!isBuiltIn(tool)) return failure
  const { said: _said, ...own } = failure
  return { ...own, message: result.reason }
}

/** Undefined after the last try, or if another try would only fail again. */
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
  failed: Failed,
  run: string,
): FlowProblem {
  const server = turn.planned.tool?.server
  const node = turn.node.id
  if (failed.code === 'call.unavailable') {
    const code = 'flows.unavailable'
    return { code, message: line(failed.reason), hint: hintFor(code, server, run), node }
  }
  const code = CODES[action]
  return { code, message, hint: failed.hint ?? hintFor(code, server, run), node }
}

const CODES: Readonly<Record<ErrorAction, `flows.${string}`>> = {
  rate_limited: 'flows.rate-limited',
  auth_failed: 'flows.auth-failed',
  forbidden: 'flows.forbidden',
  resource_missing: 'flows.resource-missing',
  timeout: 'flows.timeout',
  server_error: 'flows.server-error',
  network_error: 'flows.network-error',
  error: 'flows.failed',
}

/** A long wait parks the run instead. One that is longer than any may be is over: the clock was set back since. */
export async function waitFor({ run, deps }: RunContext, time: number): Promise<void> {
  const ms = time - deps.waitNow()
  if (ms <= 0 || ms > LONGEST_WAIT_MS) return
  if (ms >= LONG_WAIT_MS) throw new RunParked(new Date(time))
  try {
    await sleep(ms, undefined, { signal: run.signal })
  } catch {
    throw new RunLost()
  }
}

function refusal(
  context: RunContext,
  step: CallStep,
  refused: Extract<NoAnswer, { kind: 'refused' }>,
): JudgedFailure {
  const { reason, rule } = refused
  const { turn } = step
  // The process ends. The question stays open, and the next process finds it.
  if (rule === 'approval.ending') throw new RunLost()
  if (context.run.isShared && UNSERVED.has(rule ?? '')) throw unserved(context, step, refused)
  const isChanged = rule === 'tool.changed'
  const said = rule === undefined ? line(reason) : `${line(reason)} (${rule})`
  const problem = {
    code: isChanged ? 'flows.pin-changed' : 'flows.refused',
    message: `Cannot call ${turn.planned.type}: ${said}`,
    hint: isChanged
      ? 'Run `cordon flow check` to see what changed, then save the flow again'
      : 'Run `cordon flow check` to see what is refused and what is asked, and why',
    node: turn.node.id,
    ...(rule !== undefined && { rule }),
  }
  return { kind: 'failed', action: 'error', message: problem.message, problem }
}

/** Refusals for want of a server or pin on one kernel; a different kernel may have it. */
const UNSERVED: ReadonlySet<string> = new Set(['tool.unknown', 'tool.quarantined', 'tool.disabled'])

function unserved(
  { run }: RunContext,
  { turn }: CallStep,
  { reason }: Extract<NoAnswer, { kind: 'refused' }>,
): RunUnserved {
  const { tool, type } = turn.planned
  const isOfTool = (need: string): boolean =>
    tool !== undefined && need.includes(`"tool":${JSON.stringify(tool)}`)
  return new RunUnserved(run.needs.find(isOfTool) ?? '', `${type}: ${line(reason)}`)
}

/** Codes of the host for a call without a usable answer, which may have been executed all the same. */
const AMBIGUOUS: ReadonlySet<string> = new Set([
  'call.cancelled',
  'call.lost',
  'call.server-error',
  'call.timeout',
  'call.unreachable',
  'call.unreadable',
  'egress.unreachable',
])
/** A server's own message that its connection to the service behind it broke off. */
const LOST = /\bECONN(?:RESET|ABORTED)\b|\bETIMEDOUT\b|\bsocket hang up\b/

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
