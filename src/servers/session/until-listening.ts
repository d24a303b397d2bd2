/**
 * A server that Cordon starts in its sandbox and that listens on a Unix socket there: waits until it does, and says why
 * it does not. Standard output is no channel of such a server; it goes to the log.
 */
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Duplex } from 'node:stream'
import type { Egress, LocalPlace } from '../../ports/egress-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { SandboxedProcess } from '../../kernel/sandbox-port.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { explainEnd, ServerFailure, withLastWords } from './failure.ts'
import { followLog } from './follow-errors.ts'
import type { LogRing } from './log-ring.ts'

const LOOK_MS = 20
const LAST_LINES = 5

export interface Listening {
  readonly process: SandboxedProcess
  readonly definition: ServerDefinition
  readonly ring: LogRing
  readonly startMs: number
}

/** The place of its socket on this machine: in the folder that only its sandbox shows. */
export function ownPlace(process: SandboxedProcess, definition: ServerDefinition): LocalPlace {
  const { socketPath = '' } = definition
  if (process.sockets === undefined) return { kind: 'socket', path: socketPath } // without a sandbox
  return { kind: 'own', path: `${process.sockets}/${basename(socketPath)}` }
}

/** The first connection. The caller owns it. */
export async function untilListening(
  egress: Pick<Egress, 'connectLocal'>,
  { process, definition, ring, startMs }: Listening,
  signal: AbortSignal,
): Promise<Duplex> {
  const place = ownPlace(process, definition)
  void followLog('stdout', process.stdout, ring)
  const until = performance.now() + startMs
  const state = { hasEnded: false }
  void process.ended.then(() => (state.hasEnded = true))
  for (;;) {
    signal.throwIfAborted()
    const socket = await egress.connectLocal(place, signal).catch((error: unknown) => {
      if (!(error instanceof CordonError) || error.code !== 'egress.local-unavailable') throw error
      return undefined
    })
    if (socket) return socket
    if (state.hasEnded || performance.now() >= until) break
    await delay(LOOK_MS)
  }
  const why = state.hasEnded
    ? explainEnd(await process.ended, definition)
    : `did not listen on ${definition.socketPath ?? 'its socket'} within ${Math.round(startMs / 1000)} s`
  throw new ServerFailure(withLastWords(why, ring.last(LAST_LINES)))
}
