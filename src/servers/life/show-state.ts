/** A server's state for people: its badge, one sentence, and the facts of the running session. */
import type { ServerBadge, ServerState } from '../../kernel/server-state.ts'
import type { Life } from './next-life.ts'
import type { ServerLife } from './server-life.ts'

const BADGES: Readonly<Record<Life['kind'], ServerBadge>> = {
  disabled: 'disabled',
  idle: 'idle',
  starting: 'idle',
  stopping: 'idle',
  connected: 'connected',
  renewing: 'connected',
  backoff: 'error',
  unavailable: 'error',
  failed: 'error',
}

/** Everything but the memory, which takes milliseconds to count, of Cordon's time and of the server's. */
export async function showBriefly(server: ServerLife): Promise<ServerState> {
  const { life, session, definition, startedAt } = server
  const tools = await server.tools.all()
  const reason = sentenceFor(server)
  const { blockedHosts, reached } = server.ring
  const held = tools.filter(({ isHeld }) => isHeld).length
  return {
    server: server.id,
    badge: BADGES[life.kind],
    ...(reason !== undefined && { reason }),
    tools: tools.length,
    quarantined: tools.filter(({ quarantined }) => quarantined).length,
    ...(held > 0 && { held }),
    restarts: 'restarts' in life ? life.restarts : 0,
    ...(blockedHosts.length > 0 && { blockedHosts }),
    ...(reached.length > 0 && { reached }),
    ...(startedAt !== undefined && { startedAt: new Date(startedAt).toISOString() }),
    ...(session && factsOf(session, definition.version)),
  }
}

export async function showState(server: ServerLife): Promise<ServerState> {
  const memoryBytes = await server.session?.process?.memoryBytes()
  const state = await showBriefly(server)
  return memoryBytes === undefined ? state : { ...state, memoryBytes }
}

function factsOf(
  session: NonNullable<ServerLife['session']>,
  pinned: string | undefined,
): Partial<ServerState> {
  const { era, process, protocolVersion, reportedVersion, leftOut } = session
  return {
    era,
    ...(leftOut.length > 0 && { leftOut }),
    ...(process && { pid: process.pid, memoryLayer: process.memoryLayer }),
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(reportedVersion !== undefined && { reportedVersion }),
    versionDrift:
      pinned !== undefined && reportedVersion !== undefined && pinned !== reportedVersion,
  }
}

function sentenceFor({ life, installing, isWaiting, definition }: ServerLife): string | undefined {
  switch (life.kind) {
    case 'disabled':
      return definition.disabledReason
    case 'backoff':
      return `It ${life.reason}; it is being started again`
    case 'failed':
      return `It ${life.reason}; it was started again too often and is given up`
    case 'unavailable':
      return life.reason
    case 'starting':
      if (isWaiting) return 'It waits for a place: as many servers run as may, and all of them work'
      return installing ?? 'It is being started'
    case 'stopping':
      return 'It is being stopped'
    default:
      return undefined
  }
}
