/** Steps that several states of a connection take: to ask, to start work, to end. Pure. */
import {
  QUESTION_MS,
  type Connection,
  type ConnectionEffect,
  MAX_ATTEMPTS,
  needFor,
  type Step,
} from './connection.ts'
import { askFor, connecting, givenUp, notStarted, tokenRefused } from './connection-messages.ts'

export function say(text: string): ConnectionEffect {
  return { kind: 'say', text }
}

export function stay(connection: Connection, ...effects: readonly ConnectionEffect[]): Step {
  return { connection, effects }
}

/** Asks for the next missing credential, or starts to install if none is missing. Restarts the timeout. */
export function goOn(connection: Connection, at: number): Step {
  const [key] = connection.found.missing
  const refreshed = { ...connection, expiresAt: at + QUESTION_MS }
  if (key !== undefined) return ask(refreshed, key, 0)
  const hasCredential = Object.keys(connection.found.refs).length > 0
  const { connection: next, effects } = install(refreshed)
  return {
    connection: next,
    effects: [say(connecting(connection.service, hasCredential)), ...effects],
  }
}

export function install(connection: Connection): Step {
  const next = { ...connection, turn: connection.turn + 1, state: { kind: 'installing' } } as const
  return { connection: next, effects: [{ kind: 'install' }] }
}

/** Asks by the first OAuth method from index `from` on; if none is left, by a message. */
export function ask(connection: Connection, key: string, from: number, opening?: string): Step {
  const { service } = connection
  const method = methodFrom(connection, key, from)
  const next = {
    ...connection,
    turn: connection.turn + 1,
    state: { kind: 'asking', key, method },
  } as const
  const first = opening === undefined ? [] : [say(opening)]
  if (method < service.oauth.length) {
    return { connection: next, effects: [...first, { kind: 'acquire', method }] }
  }
  const words = opening ?? askFor(service, needFor(service, key), connection)
  return { connection: next, effects: [say(words)] }
}

/** After a refused token: the server that runs with it is stopped first, then a new token is asked for. */
export function afterRefusal(connection: Connection, reason: string, at: number): Step {
  const { service, found } = connection
  const attempts = connection.attempts + (Object.keys(found.refs).length > 0 ? 1 : 0)
  const missing = secretKeys(connection)
  const [key] = missing
  if (key === undefined) return fail(connection, reason)
  if (attempts >= MAX_ATTEMPTS) {
    return end(connection, { kind: 'failed', reason }, givenUp(service, attempts, reason))
  }
  const again = {
    ...connection,
    attempts,
    found: { ...found, missing },
    expiresAt: at + QUESTION_MS,
  }
  const isNew = attempts === connection.attempts
  const opening = isNew ? undefined : tokenRefused(service, needFor(service, key), reason)
  const { connection: next, effects } = ask(again, key, 0, opening)
  return { connection: next, effects: [{ kind: 'halt' }, ...effects] }
}

export function fail(connection: Connection, reason: string): Step {
  return end(connection, { kind: 'failed', reason }, notStarted(connection.service, reason))
}

/** Ends the connection: stops the server, restores the definition. Credentials stay: the person may try again. */
export function end(connection: Connection, state: Connection['state'], text: string): Step {
  const next = { ...connection, turn: connection.turn + 1, state }
  return { connection: next, effects: [say(text), ...cleanUp(connection)] }
}

export function cleanUp({ plan }: Connection): readonly ConnectionEffect[] {
  return plan ? [{ kind: 'halt' }, { kind: 'undo' }] : []
}

function methodFrom({ service: { oauth } }: Connection, key: string, from: number): number {
  const index = oauth.findIndex((method, at) => at >= from && method.key === key)
  return index < 0 ? oauth.length : index
}

/** Secrets that may have caused a refusal: the required ones, else the first optional one. */
function secretKeys({ service }: Connection): readonly string[] {
  const secrets = service.credentials.filter(({ secret }) => secret !== undefined)
  const required = secrets.filter((need) => need.required).map(({ key }) => key)
  if (required.length > 0) return required
  return [...secrets.map(({ key }) => key), ...service.oauth.map(({ key }) => key)].slice(0, 1)
}
