/**
 * How a call of a tool failed, as far as the host itself saw it. Callers go by these codes and not by the sentence beside
 * them; a server's own words never become one, whatever they are.
 */
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

/** What an HTTP status that is no success says of a call. */
export function failureOfStatus(status: number): CallFailure {
  const isServerError = status >= 500 && status <= 599
  return BY_STATUS.get(status) ?? (isServerError ? 'call.server-error' : 'call.status')
}

/** A call that gave no result. */
export interface FailedCall {
  readonly kind: 'failed'
  /** For people, without a full stop. */
  readonly reason: string
  /** A `CallFailure`, or the code of the error that was in the way. Absent where the reason is in a server's own words. */
  readonly code?: string
  /** What to do about it: one imperative sentence. */
  readonly hint?: string
  /** How long the other side asked to be left alone. */
  readonly retryAfterSeconds?: number
}

export function callFailed(code: CallFailure, reason: string, hint?: string): FailedCall {
  return { kind: 'failed', code, reason, ...(hint !== undefined && { hint }) }
}
