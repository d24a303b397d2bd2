/** A connection as people and surfaces see it. Holds the question, and never the answer. */
import type {
  ConnectionPhase,
  ConnectionQuestion,
  ConnectionView,
} from '../../kernel/setup-port.ts'
import { type Connection, needFor } from './connection.ts'

const PHASES: Readonly<Record<Connection['state']['kind'], ConnectionPhase>> = {
  start: 'connecting',
  asking: 'awaiting-credential',
  storing: 'connecting',
  installing: 'installing',
  connecting: 'connecting',
  verifying: 'verifying',
  connected: 'connected',
  failed: 'failed',
  cancelled: 'cancelled',
}

export function showConnection(
  connection: Connection,
  said: readonly string[],
  version: number,
): ConnectionView {
  const { id, service, state, expiresAt } = connection
  const question = questionOf(connection)
  return {
    connection: id,
    service: service.slug,
    title: service.title,
    phase: PHASES[state.kind],
    ...(question && { question }),
    expiresAt: new Date(expiresAt).toISOString(),
    said: [...said],
    version,
  }
}

/** Whether the connection is about to send another message by itself, within moments. */
export function isOnTheWay({ state, service }: Connection): boolean {
  if (state.kind === 'start' || state.kind === 'storing') return true
  return state.kind === 'asking' && state.method < service.oauth.length && !state.prompt
}

function questionOf({ service, state, form }: Connection): ConnectionQuestion | undefined {
  if (state.kind !== 'asking') return undefined
  const { title, secret, where, url } = needFor(service, state.key)
  const { prompt } = state
  return {
    title,
    isSecret: secret !== undefined,
    ...(where !== undefined && { where }),
    ...(url !== undefined && { url }),
    ...(form !== undefined && { form }),
    ...(prompt?.kind === 'device' && { device: { url: prompt.url, code: prompt.code } }),
    ...(prompt?.kind === 'authorize' && { authorize: prompt.url }),
  }
}
