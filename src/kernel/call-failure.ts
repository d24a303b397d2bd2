/**
 * Codes for the ways in which a tool call can fail, as the host observed it. Callers decide by the code, never by the
 * text of the reason; text from a server never becomes a code.
 */
import type { TokenUsage } from '../text/token-usage.ts'

export const CALL_FAILURES = [
  'call.cancelled',
  'call.forbidden',
  'call.lost',
  'call.missing',
  'call.rate-limited',
  'call.server-error',
  'call.status',
  'call.timeout',
  'call.unauthorized',
  'call.unavailable',
  'call.unknown',
  'call.unreachable',
  'call.unreadable',
  'call.unsupported',
  'call.unusable',
] as const
export type CallFailure = (typeof CALL_FAILURES)[number]

const BY_STATUS: ReadonlyMap<number, CallFailure> = new Map([
  [401, 'call.unauthorized'],
  [403, 'call.forbidden'],
  [404, 'call.missing'],
  [408, 'call.timeout'],
  [410, 'call.missing'],
  [429, 'call.rate-limited'],
  [504, 'call.timeout'],
])

/** Maps an HTTP status outside 2xx to a failure code. */
export function failureOfStatus(status: number): CallFailure {
  const isServerError = status >= 500 && status <= 599
  return BY_STATUS.get(status) ?? (isServerError ? 'call.server-error' : 'call.status')
}

/** A call that gave no result. */
export interface FailedCall {
  readonly kind: 'failed'
  /** For people, without a full stop. */
  readonly reason: string
  /** A `CallFailure`, or the code of the error behind the failure. Absent if the reason is text from a server. */
  readonly code?: string
  /** The number of the error that the server answered with (JSON-RPC). */
  readonly rpcCode?: number
  /** One imperative sentence for people. */
  readonly hint?: string
  /** The delay that the server asked for (HTTP Retry-After). */
  readonly retryAfterSeconds?: number
  /** Hosts that the server tried meanwhile and was kept from; the owner could allow them. */
  readonly blockedHosts?: readonly string[]
  /** Of the models that were asked all the same. */
  readonly usage?: TokenUsage
}

export function callFailed(code: CallFailure, reason: string, hint?: string): FailedCall {
  return { kind: 'failed', code, reason, ...(hint !== undefined && { hint }) }
}

/**
 * Failures of which Cordon wrote every word. Marked by identity, because a copy then loses the mark: a failure to which
 * somebody adds a quote or a hint counts as the server's words again.
 */
const ownFailures = new WeakSet<FailedCall>()

/** Marks a failure in which a server chose nothing, not even a number. Every other one counts as read from its server. */
export function ownFailure(failure: FailedCall): FailedCall {
  ownFailures.add(failure)
  return failure
}

export function isOwnFailure(failure: FailedCall): boolean {
  return ownFailures.has(failure)
}
