/** Limits how many servers run at once. A new server evicts the least recently used, never one with calls under way. */
import { CordonError } from '../../kernel/error.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'

export interface Evictable {
  readonly lastUsed: number
  /** No call is under way. */
  readonly isUnused: boolean
  stop(): Promise<void>
}

export interface Slots {
  /** Takes a slot until the result is disposed. Throws if every running server is busy. */
  take(server: Evictable): Promise<Disposable>
}

export function createSlots(max: number): Slots {
  const held = new Set<Evictable>()
  const serially = createSerialQueue()

  async function take(server: Evictable): Promise<Disposable> {
    while (held.size >= max) {
      const [victim] = [...held]
        .filter((one) => one.isUnused)
        .sort((a, b) => a.lastUsed - b.lastUsed)
      if (!victim) throw allBusy(max)
      await victim.stop()
    }
    held.add(server)
    return { [Symbol.dispose]: () => void held.delete(server) }
  }
  return { take: (server) => serially(() => take(server)) }
}

function allBusy(max: number): CordonError {
  return new CordonError(
    'servers.too-many',
    { exit: 5, hint: 'Run `cordon mcp list` and stop one with `cordon mcp stop SERVER`' },
    `Cannot run more than ${max} servers at once: all of them are busy`,
  )
}
