/**
 * Limits how many servers run at once. A new server evicts the least recently called, never one with calls under way or
 * one that is just starting: then it waits until one of them is free.
 */
import { CordonError } from '../../kernel/error.ts'
import { Changes } from '../../text/changes.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'

export interface Evictable {
  /** The time of its last call; 0 if it was never called, so that it makes room first. */
  readonly lastCalled: number
  /** No call is under way. */
  readonly isUnused: boolean
  stop(): Promise<void>
}

export interface Slots {
  readonly max: number
  /** Fewer than run now: the next start makes room. */
  resize(max: number): void
  /** Takes a slot until the result is disposed. Throws if every running server stays busy for too long. */
  take(server: Evictable, signal: AbortSignal): Promise<Disposable>
  isWaiting(server: Evictable): boolean
}

/** A call that ends tells nobody, so a start that waits looks again this often. */
const LOOK_MS = 100

export function createSlots(most: number, waitMs: number): Slots {
  let max = most
  const held = new Set<Evictable>()
  const waiting = new Set<Evictable>()
  const freed = new Changes()
  const serially = createSerialQueue()

  async function makeRoom(signal: AbortSignal): Promise<void> {
    const until = performance.now() + waitMs
    while (held.size >= max) {
      signal.throwIfAborted()
      const [victim] = [...held]
        .filter((one) => one.isUnused)
        .sort((a, b) => a.lastCalled - b.lastCalled)
      if (victim) await victim.stop()
      else if (performance.now() >= until) throw allBusy(max)
      else await freed.next(signal, LOOK_MS)
    }
  }
  return {
    get max() {
      return max
    },
    resize(wanted) {
      max = wanted
      freed.announce()
    },
    isWaiting: (server) => waiting.has(server),
    async take(server, signal) {
      waiting.add(server)
      try {
        await serially(() => makeRoom(signal).then(() => held.add(server)))
      } finally {
        waiting.delete(server)
      }
      return {
        [Symbol.dispose]() {
          held.delete(server)
          freed.announce()
        },
      }
    },
  }
}

function allBusy(max: number): CordonError {
  return new CordonError(
    'servers.too-many',
    {
      exit: 5,
      hint: 'Stop one with `cordon mcp stop SERVER`, or write a larger `servers` under `[limits]` in config.toml',
    },
    `Cannot run more than ${max} servers at once: all of them are busy`,
  )
}
