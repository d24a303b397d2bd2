/** Steps that several states of a connection take: to ask, to start work, to end. Pure. */
import {
  QUESTION_MS,
  type Connection,
  type ConnectionEffect,
  type DefinitionPlan,
  isClientKey,
  MAX_ATTEMPTS,
  needFor,
  secretNeeds,
  type Step,
} from './connection.ts'
import {
  askFor,
  connecting,
  givenUp,
  kept,
  notStarted,
  tokenRefused,
} from './connection-messages.ts'

export function say(text: string): ConnectionEffect {
  return { kind: 'say', text }
}

export function stay(connection: Connection, ...effects: readonly ConnectionEffect[]): Step {
  return { connection, effects }
}

/** Asks for the next missing credential, or starts to install if none is missing. Restarts the timeout. */
export function goOn(connection: Connection, at: number): Step {
  const [key] = connection.found.missing
  const { trouble: _over, ...untroubled } = connection
  const refreshed = { ...untroubled, expiresAt: at + QUESTION_MS }
  if (needsVault(refreshed)) return awaitVault(refreshed)
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
  if (connection.vault !== undefined && isSecret(service, key)) return awaitVault(connection)
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

/** A locked vault is needed to start a server with credentials, a missing one only to store the first of them. */
function needsVault({ service, found, vault }: Connection): boolean {
  if (vault === 'locked') return secretNeeds(service).length > 0
  return vault === 'absent' && found.missing.some((key) => isSecret(service, key))
}

function isSecret(service: Connection['service'], key: string): boolean {
  return needFor(service, key).secret !== undefined
}

/** Says nothing: the surface at which the person is explains the choice, and takes the passphrase. */
function awaitVault(connection: Connection): Step {
  return stay({ ...connection, turn: connection.turn + 1, state: { kind: 'awaiting-vault' } })
}

/** After a refused token: the server that runs with it is stopped first, then a new token is asked for. */
export function afterRefusal(connection: Connection, reason: string, at: number): Step {
  const { service, found } = connection
  const attempts = connection.attempts + (Object.keys(found.refs).length > 0 ? 1 : 0)
  const missing = secretKeys(connection)
  const [key] = missing
  if (key === undefined) return fail(connection, reason)
  const refused = { ...connection, trouble: 'token-refused' } as const
  if (attempts >= MAX_ATTEMPTS) {
    return end(refused, { kind: 'failed', reason }, givenUp(service, attempts, reason))
  }
  const again = {
    ...(attempts === connection.attempts ? connection : refused),
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
  const { service, plan, state } = connection
  // A package is fetched while a credential is asked for, too.
  const isInstall = state.kind === 'installing' || state.kind === 'asking'
  const text = notStarted(service, reason) + (plan && isKept(plan) ? kept(service) : '')
  const failed = isInstall ? ({ ...connection, trouble: 'not-installed' } as const) : connection
  return end(failed, { kind: 'failed', reason }, text)
}

/** Whether a failure leaves the definition there, disabled: one that was in use before is restored instead. */
export function isKept({ undo }: DefinitionPlan): boolean {
  return undo.kind === 'remove' || (undo.kind === 'edit' && undo.changes.enabled === false)
}

/** Ends the connection: stops the server, restores or keeps the definition. Credentials stay for another try. */
export function end(connection: Connection, state: Connection['state'], text: string): Step {
  const next = { ...connection, turn: connection.turn + 1, state }
  return { connection: next, effects: [say(text), ...cleanUp(next)] }
}

export function cleanUp({ plan, state }: Connection): readonly ConnectionEffect[] {
  return plan ? [{ kind: 'halt' }, { kind: state.kind === 'failed' ? 'keep' : 'undo' }] : []
}

function methodFrom({ service: { oauth } }: Connection, key: string, from: number): number {
  const index = oauth.findIndex((method, at) => at >= from && method.key === key)
  return index < 0 ? oauth.length : index
}

/** Secrets that may have caused a refusal: the required ones, else the first optional one. */
function secretKeys({ service }: Connection): readonly string[] {
  const secrets = service.credentials.filter(
    ({ key, secret }) => secret !== undefined && !isClientKey(key),
  )
  const required = secrets.filter((need) => need.required).map(({ key }) => key)
  if (required.length > 0) return required
  return [...secrets.map(({ key }) => key), ...service.oauth.map(({ key }) => key)].slice(0, 1)
}
