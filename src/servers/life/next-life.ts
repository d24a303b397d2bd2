/**
 * The life of one server, as one union and one pure step. Another file acts on it.
 *
 *              start, need                handshake             renew
 *   idle ──────────────────────► starting ─────────► connected ───────► renewing
 *    ▲ ▲                          │  ▲  │ refused        │                 │
 *    │ └── stop ── backoff ◄──────┤  │  └──► unavailable │ stop, disable   │ rested, stop, disable
 *    │               │   ended    │  │        (as idle)  ▼                 │
 *    │               └── retry ───┼──┘                stopping ◄───────────┘
 *    │                            │                      │ ended
 *    │                            │ ended, after         └──► idle, disabled, starting
 *    │                            ▼ the last restart
 *    └────────── stop ───────── failed        disabled ── enable ──► idle
 *
 * `ended` leads from `connected` and `renewing` to `backoff` or `failed`, as from `starting`.
 *
 * A process exists in `starting`, `connected`, `renewing` and `stopping` only. They lead to one another, and out of
 * them only by `ended` or `refused`, which are said when the process is gone. So there is never a second one.
 */
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { DEFAULT_LIMITS } from '../../text/server-limits.ts'

export type Life =
  | { readonly kind: 'disabled' }
  | { readonly kind: 'idle' }
  /** `restarts`: how many of its restarts are used up. */
  | { readonly kind: 'starting'; readonly restarts: number }
  | { readonly kind: 'connected'; readonly restarts: number }
  /** The server runs with an old credential: calls under way are finished, later ones wait for the restart. */
  | { readonly kind: 'renewing'; readonly restarts: number }
  | { readonly kind: 'backoff'; readonly restarts: number; readonly reason: string }
  /** The server could not even be launched: no such command, a locked vault. The next call tries again. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  /** The server died once too often. Only its owner starts it again. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'stopping'; readonly target: 'idle' | 'disabled' | 'starting' }

export type LifeEvent =
  | { readonly kind: 'enable' }
  | { readonly kind: 'disable' }
  /** From the owner, or at the start of Cordon. */
  | { readonly kind: 'start' }
  /** A call needs the server. */
  | { readonly kind: 'need' }
  | { readonly kind: 'handshake' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'ended'; readonly reason: string }
  | { readonly kind: 'retry' }
  /** A credential of the server was renewed. */
  | { readonly kind: 'renew' }
  /** No call is under way. */
  | { readonly kind: 'rested' }
  /** The server has run long enough for its restarts to be forgotten. */
  | { readonly kind: 'stable' }
  | { readonly kind: 'stop' }

type Of<K extends Life['kind']> = Extract<Life, { readonly kind: K }>

/** `maxRestarts`: how often a server that dies is started again before it is given up. */
export function nextLife(life: Life, event: LifeEvent, maxRestarts: number): Life {
  switch (life.kind) {
    case 'disabled':
      return event.kind === 'enable' ? { kind: 'idle' } : life
    case 'idle':
    case 'unavailable':
    case 'failed':
      return fromRest(life, event)
    case 'starting':
    case 'connected':
    case 'renewing':
      return fromRunning(life, event, maxRestarts)
    case 'backoff':
      return fromBackoff(life, event)
    default:
      return fromStopping(life, event)
  }
}

export function restartsOf({ limits }: Pick<ServerDefinition, 'limits'>): number {
  return limits?.restarts?.value ?? DEFAULT_LIMITS.restarts
}

/** No process exists, and none will start by itself. */
export function isAtRest({ kind }: Life): boolean {
  return kind === 'idle' || kind === 'disabled' || kind === 'unavailable' || kind === 'failed'
}

/** The reason why the server does not run. Completes "Server x …". */
export function reasonOf(life: Life): string {
  if ('reason' in life) return life.reason
  return life.kind === 'disabled' ? 'is disabled' : 'was stopped'
}

function fromRest(life: Of<'idle' | 'unavailable' | 'failed'>, event: LifeEvent): Life {
  const isWanted = event.kind === 'need' && life.kind !== 'failed'
  if (event.kind === 'start' || isWanted) return { kind: 'starting', restarts: 0 }
  if (event.kind === 'disable') return { kind: 'disabled' }
  return event.kind === 'stop' && life.kind !== 'idle' ? { kind: 'idle' } : life
}

function fromRunning(
  life: Of<'starting' | 'connected' | 'renewing'>,
  event: LifeEvent,
  maxRestarts: number,
): Life {
  switch (event.kind) {
    case 'ended':
      return afterDeath(life.restarts, event.reason, maxRestarts)
    case 'stop':
      return { kind: 'stopping', target: 'idle' }
    case 'disable':
      return { kind: 'stopping', target: 'disabled' }
    default:
      if (life.kind === 'starting') return fromStarting(life, event)
      return life.kind === 'connected' ? fromConnected(life, event) : fromRenewing(life, event)
  }
}

function fromStarting(life: Of<'starting'>, event: LifeEvent): Life {
  if (event.kind === 'handshake') return { kind: 'connected', restarts: life.restarts }
  return event.kind === 'refused' ? { kind: 'unavailable', reason: event.reason } : life
}

function fromConnected(life: Of<'connected'>, event: LifeEvent): Life {
  if (event.kind === 'renew') return { kind: 'renewing', restarts: life.restarts }
  return event.kind === 'stable' && life.restarts > 0 ? { ...life, restarts: 0 } : life
}

function fromRenewing(life: Of<'renewing'>, event: LifeEvent): Life {
  return event.kind === 'rested' ? { kind: 'stopping', target: 'starting' } : life
}

function afterDeath(restarts: number, reason: string, maxRestarts: number): Life {
  return restarts < maxRestarts
    ? { kind: 'backoff', restarts: restarts + 1, reason }
    : { kind: 'failed', reason }
}

function fromBackoff(life: Of<'backoff'>, event: LifeEvent): Life {
  switch (event.kind) {
    case 'retry':
    case 'start':
      return { kind: 'starting', restarts: life.restarts }
    case 'stop':
      return { kind: 'idle' }
    case 'disable':
      return { kind: 'disabled' }
    default:
      return life
  }
}

function fromStopping(life: Of<'stopping'>, event: LifeEvent): Life {
  const { target } = life
  if (event.kind === 'ended' || event.kind === 'refused') {
    return target === 'starting' ? { kind: 'starting', restarts: 0 } : { kind: target }
  }
  if (event.kind === 'disable') return { kind: 'stopping', target: 'disabled' }
  if (target === 'disabled') {
    return event.kind === 'enable' ? { kind: 'stopping', target: 'idle' } : life
  }
  if (event.kind === 'stop') return { kind: 'stopping', target: 'idle' }
  const isWanted = event.kind === 'start' || event.kind === 'need'
  return isWanted ? { kind: 'stopping', target: 'starting' } : life
}
