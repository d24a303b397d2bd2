/**
 * Reports the connections that a proxy refused, or could not make. The first of a kind is written at once, the rest are counted and
 * written as a number every minute, so that a server that tries ten thousand times fills neither the memory nor the
 * audit log.
 */
import type { BlockedAttempt } from '../../ports/egress-port.ts'
import type { Audit, Log } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { ServerId } from '../../kernel/server-id.ts'

export interface Refusal {
  /**
   * `blocked`: the server may not reach this host. `failed`: it may, but the host did not answer. `placeholder`: the
   * placeholder of a sealed credential went there as it is; the reason says which and where.
   */
  readonly kind: 'blocked' | 'failed' | 'placeholder'
  /** Safe to show: a canonical name, or one sanitised by `showHost`. */
  readonly host: string
  readonly port?: number
  readonly reason: string
}

/** The reason of a refusal that another entry of the allow-list would have prevented. */
export const NOT_LISTED = 'host is not allowed'
/** The reason of the last refusal of a server whose listener is closed. */
export const CUT_OFF = 'connections without a pause'

export interface RefusalsParts {
  readonly owner: PrincipalId
  readonly server: ServerId
  readonly audit: Pick<Audit, 'append'>
  readonly log: Log
  readonly now: () => number
  readonly onBlocked: (attempt: BlockedAttempt) => void
}

export interface Refusals extends Disposable {
  /** The number of blocked attempts so far. */
  readonly blocked: number
  tell(refusal: Refusal): void
}

/** The most kinds counted separately; further kinds share one count. */
const MOST_KINDS = 64
const WRITE_EVERY_MS = 60_000
const OTHERS = '(other hosts)'

export function createRefusals(parts: RefusalsParts): Refusals {
  const repeats = new Map<string, { readonly refusal: Refusal; count: number }>()
  let blocked = 0

  /** Whether it is the first of its kind. */
  const count = (refusal: Refusal): boolean => {
    const own = keyOf(refusal)
    const isRoom = repeats.has(own) || repeats.size < MOST_KINDS
    const kept = isRoom ? refusal : { kind: refusal.kind, host: OTHERS, reason: 'many hosts' }
    const key = keyOf(kept)
    const known = repeats.get(key)
    if (known) known.count += 1
    else repeats.set(key, { refusal: kept, count: 0 })
    if (!known) write(parts, kept)
    return !known
  }

  const writeCounts = (): void => {
    for (const [key, { refusal, count }] of repeats) {
      if (count === 0) repeats.delete(key)
      else {
        repeats.set(key, { refusal, count: 0 })
        write(parts, refusal, count)
      }
    }
  }

  const timer = setInterval(writeCounts, WRITE_EVERY_MS).unref()
  return {
    get blocked() {
      return blocked
    },
    tell(refusal) {
      const isFirst = count(refusal)
      const isBlocked = refusal.kind === 'blocked'
      if (isBlocked) blocked += 1
      if (isBlocked || isFirst) tellOwner(parts, refusal)
    },
    [Symbol.dispose]() {
      clearInterval(timer)
      writeCounts()
    },
  }
}

function keyOf({ kind, host, port, reason }: Refusal): string {
  return `${kind} ${host} ${port} ${reason}`
}

/** `more`: the number of refusals of this kind since the last line. */
function write(
  { owner, server, audit, log }: RefusalsParts,
  refusal: Refusal,
  more?: number,
): void {
  const { kind, ...rest } = refusal
  const details = more === undefined ? rest : { ...rest, more }
  log.warn(kind === 'failed' ? 'MCP server could not reach a host' : messageFor(refusal), {
    server,
    ...details,
  })
  try {
    audit.append({ kind: `egress.${kind}`, principal: owner, subject: server, details })
  } catch (error) {
    log.error('Cannot record a refused connection', { server, error })
  }
}

function tellOwner({ onBlocked, log, now, server }: RefusalsParts, refusal: Refusal): void {
  try {
    const { kind, host, reason } = refusal
    const at = new Date(now()).toISOString()
    const message = messageFor(refusal)
    if (kind === 'failed') return onBlocked({ at, message, unreached: placeOf(refusal) })
    onBlocked({ at, message, ...(reason === NOT_LISTED && { host }) })
  } catch (error) {
    log.error('Cannot tell of a refused connection', { server, error })
  }
}

function messageFor(refusal: Refusal): string {
  if (refusal.kind === 'placeholder') {
    return `Sealed: MCP server sent a placeholder to ${placeOf(refusal)}`
  }
  if (refusal.reason === CUT_OFF) {
    return 'Blocked: MCP server opens connections without a pause, so it has no network until it is started again'
  }
  return refusal.kind === 'failed'
    ? `MCP server could not reach ${placeOf(refusal)}`
    : `Blocked: MCP server tried to reach ${refusal.host}`
}

function placeOf({ host, port, reason }: Refusal): string {
  return `${host}${port === undefined ? '' : `:${port}`} (${reason})`
}
