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
  lastWords,
  ownErrorIn,
  ServerFailure,
} from './failure.ts'
import type { LogRing } from './log-ring.ts'
import type { Channel } from './open-channel.ts'

const LAST_LINES = 5

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
  const isOver = !late.aborted && (isConnectionLost(cause) || endedOnProbe(cause))
  const isLate = late.aborted || isTimeout(cause)
  const reason = isOver
    ? redact(await channel.reason())
    : explainHandshake(cause, isLate ? startMs : undefined, redact)
  return new ServerFailure(reason + lastWords(ring.last(LAST_LINES)), { cause })
}

function refusalIn(cause: unknown, { definition, channel }: StartAttempt): CordonError | undefined {
  if (isUnauthorized(cause)) return unauthorized(definition, cause)
  return ownErrorIn(cause) ?? ownErrorIn(channel.refusal?.())
}

/** A refusal, so that the start is not retried: the credential has to change first. */
function unauthorized({ id }: ServerDefinition, cause: unknown): CordonError {
  return new CordonError(
    'servers.unauthorized',
    {
      exit: 3,
      hint: `Check the credentials that \`cordon mcp show ${id}\` names, and store new ones with \`cordon vault set NAME\``,
      why: 'it does not accept the credentials',
    },
    `Cannot use server ${JSON.stringify(id)}`,
    cause,
  )
}
