/** Limits the calls of all runs to one server at once. A call that finds no place waits in line, the first one first. */
import type { ServerId } from '../../kernel/server-id.ts'

/** Resolves with the release when there is a place; rejects when the signal aborts. */
export type EnterServer = (server: ServerId, signal: AbortSignal) => Promise<() => void>

interface Line {
  busy: number
  readonly waiting: Set<() => void>
}

export function createServerPlaces(most: number): EnterServer {
  const lines = new Map<ServerId, Line>()
  const leave = (server: ServerId, line: Line): void => {
    line.busy -= 1
    const [next] = line.waiting
    if (next) next()
    else if (line.busy === 0) lines.delete(server)
  }
  return async (server, signal) => {
    const line: Line = lines.get(server) ?? { busy: 0, waiting: new Set() }
    lines.set(server, line)
    while (line.busy >= most) await turn(line, signal)
    line.busy += 1
    return () => leave(server, line)
  }
}

async function turn({ waiting }: Line, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const wake = (): void => {
    waiting.delete(wake) // whoever is woken is out of the line before the next one is looked for
    resolve()
  }
  const abort = (): void => {
    waiting.delete(wake) // at once: a place that comes free before the rejection is seen goes to the next in line
    reject(signal.reason as Error)
  }
  waiting.add(wake)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await promise
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
