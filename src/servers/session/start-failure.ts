/**
 * The reason why a server could not be started, for people. A refusal (a `CordonError`) stands until a setting or a
 * credential changes; a failure of the server itself may pass, so the start is retried.
 */
import { CordonError } from '../../kernel/error.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import {
  endedOnProbe,
  explainHandshake,
  isConnectionLost,
  isTimeout,
  isUnauthorized,
  ownErrorIn,
  ServerFailure,
  withLastWords,
} from './failure.ts'
import { describeOddity } from './explain-call.ts'
import { hintFor, type HttpOddity } from './http-oddity.ts'
import type { LogRing } from './log-ring.ts'
import type { Channel } from './open-channel.ts'
import { tellingLines, unbuiltPart } from './telling-lines.ts'

const LAST_LINES = 40
const MOST_PLACES = 3

export interface StartAttempt {
  readonly definition: ServerDefinition
  readonly channel: Channel
  readonly ring: LogRing
  readonly redact: (text: string) => string
  readonly startMs: number
  /** Aborted on timeout, or by the caller. */
  readonly late: AbortSignal
}

/** If the connection broke, the end of the process tells more than the error of the connection. */
export async function startFailure(
  cause: unknown,
  attempt: StartAttempt,
): Promise<CordonError | ServerFailure> {
  const { channel, ring, redact, startMs, late } = attempt
  const refusal = refusalIn(cause, attempt)
  if (refusal) return refusal
  const isLate = late.aborted || isTimeout(cause)
  const oddity = isLate ? undefined : channel.oddity?.()
  const isOver = !isLate && (isConnectionLost(cause) || endedOnProbe(cause))
  const reason = oddity
    ? explainOddity(oddity, attempt)
    : isOver
      ? redact(await channel.reason())
      : explainHandshake(cause, isLate ? startMs : undefined, redact)
  return new ServerFailure(explainLines(reason + unreachedBy(ring), ring.last(LAST_LINES)), {
    cause,
  })
}

/** A server often tells only that its connection broke; the proxy knows which one could not be made. */
function unreachedBy({ unreached }: LogRing): string {
  return unreached.length === 0
    ? ''
    : `; it could not reach ${unreached.slice(0, MOST_PLACES).join(', ')}`
}

function explainLines(reason: string, lines: readonly string[]): string {
  const part = unbuiltPart(lines)
  if (part === undefined) return withLastWords(reason, tellingLines(lines))
  return `${reason}: its part ${JSON.stringify(part)} is made by an install script, and Cordon runs none. Look for a server without it`
}

/** Completes "it …", with the next step: the start of a remote server leaves no other trace. */
function explainOddity(oddity: HttpOddity, { definition, redact }: StartAttempt): string {
  const hint = hintFor(oddity, definition.id)
  const next = hint === undefined ? '' : `. ${hint}`
  return `${describeOddity(oddity, redact)}${next}`
}

/** Refusals stand until the owner changes something, so the start is not retried. */
function refusalIn(cause: unknown, attempt: StartAttempt): CordonError | undefined {
  const { channel } = attempt
  const own = ownErrorIn(cause) ?? ownErrorIn(channel.refusal?.())
  if (own || !isUnauthorized(cause)) return own
  const oddity = channel.oddity?.()
  return oddity && blamesAccount(oddity)
    ? forbidden(attempt, oddity, cause)
    : unauthorized(attempt, oddity?.said, cause)
}

/** A bare 403, or one that says "Access denied", may mean anything; another credential is worth a try. */
function blamesAccount({ code, said = '', remedy }: HttpOddity): boolean {
  const isTelling = said.trim().split(/\s+/).length > 2
  return code === 'call.forbidden' && (isTelling || remedy === 'permissions')
}

function forbidden(
  { definition: { id }, redact }: StartAttempt,
  oddity: HttpOddity,
  cause: unknown,
): CordonError {
  const hint = hintFor(oddity, id) ?? 'Look up at the service what your account allows'
  const why = `it ${describeOddity(oddity, redact)}`
  return new CordonError(
    'servers.forbidden',
    { exit: 3, hint, why },
    `Cannot use server ${JSON.stringify(id)}`,
    cause,
  )
}

function unauthorized(
  { definition: { id }, redact }: StartAttempt,
  said: string | undefined,
  cause: unknown,
): CordonError {
  const what = 'does not accept the credentials'
  const words = describeOddity({ what, ...(said !== undefined && { said }) }, redact)
  return new CordonError(
    'servers.unauthorized',
    {
      exit: 3,
      hint: `Check the credentials that \`cordon mcp show ${id}\` names, and store new ones with \`cordon vault set NAME\``,
      why: `it ${words}`,
    },
    `Cannot use server ${JSON.stringify(id)}`,
    cause,
  )
}
