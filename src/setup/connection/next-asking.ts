/** The states of a connection in which a person is asked and their answer is stored. Pure. */
import { hostsIn } from '../server/address-hosts.ts'
import {
  type Entry,
  type Connection,
  type TimedEvent,
  needFor,
  type SaidMessage,
  type Step,
} from './connection.ts'
import { ask, end, fail, goOn, say, stay } from './connection-steps.ts'
import {
  askToSignIn,
  cancelled,
  inPieces,
  NOT_DELETED,
  notASetting,
  notStored,
  noWay,
  othersReadAlong,
  SIGN_IN_FAILED,
  wrongToken,
} from './connection-messages.ts'
import { faultIn, readAnswer } from './read-answer.ts'

type Asking = Extract<Connection['state'], { kind: 'asking' }>

export function nextAsking(connection: Connection, state: Asking, event: TimedEvent): Step {
  switch (event.kind) {
    case 'said':
      return afterMessage(connection, state.key, event.message, event.at)
    case 'provided':
      return afterProvided(connection, state.key, event.entry, event.at)
    case 'prompted':
      return stay(
        { ...connection, state: { ...state, prompt: event.prompt } },
        say(askToSignIn(event.prompt)),
      )
    case 'acquired':
      return goOn(withRef(connection, state.key, event.ref), event.at)
    case 'not-acquired':
      return afterNoSignIn(connection, state, event.isUnavailable)
    case 'no-package':
      return fail(connection, event.reason)
    // After a restart: a token that was acquired just before the crash is found.
    case 'looked':
      return afterSecondLook(connection, state, event.found, event.at)
    default:
      return stay(connection)
  }
}

export function nextStoring(connection: Connection, key: string, event: TimedEvent): Step {
  if (event.kind !== 'stored' && event.kind !== 'not-stored') return stay(connection)
  const warning = event.isDeleted === false ? [say(NOT_DELETED)] : []
  const step =
    event.kind === 'stored'
      ? goOn(withRef(connection, key, event.ref), event.at)
      : askAgain(connection, key, event.reason)
  return { connection: step.connection, effects: [...warning, ...step.effects] }
}

function askAgain(connection: Connection, key: string, reason: string): Step {
  return ask(connection, key, connection.service.oauth.length, notStored(reason))
}

function afterMessage(connection: Connection, key: string, message: SaidMessage, at: number): Step {
  const { service } = connection
  const need = needFor(service, key)
  const answer = readAnswer(service, need, message)
  if (answer.kind === 'ordinary') return stay(connection, { kind: 'pass' })
  if (answer.kind === 'cancel') return end(connection, { kind: 'cancelled' }, cancelled(service))
  const heard = { ...connection, isChat: true }
  if (answer.kind === 'value' && !(message.isGroup && need.secret !== undefined)) {
    return take(heard, key, answer.value, { at, message })
  }
  const erase = { kind: 'erase', ...(message.ref && { message: message.ref }) } as const
  return stay(heard, erase, say(refusalOf(connection, key, answer)))
}

type Unusable = Exclude<ReturnType<typeof readAnswer>, { kind: 'ordinary' | 'cancel' }>

function refusalOf({ service }: Connection, key: string, answer: Unusable): string {
  const need = needFor(service, key)
  if (answer.kind === 'in-pieces') return inPieces(need)
  if (answer.kind === 'of-another') return wrongToken(service, need, answer.title)
  if (answer.kind === 'misplaced') return notASetting(service, need)
  if (answer.kind === 'no-way') return noWay(need, answer.fault)
  return othersReadAlong(service, need)
}

function afterProvided(connection: Connection, key: string, entry: Entry, at: number): Step {
  const { service } = connection
  const isUsable = faultIn(service, needFor(service, key), entry) === undefined
  return isUsable ? take(connection, key, entry.text.trim(), { at }) : stay(connection)
}

interface Arrival {
  readonly at: number
  readonly message?: SaidMessage
}

/** A setting is kept at once; a credential goes into the vault before anything else happens. */
function take(connection: Connection, key: string, value: string, { at, message }: Arrival): Step {
  if (needFor(connection.service, key).secret === undefined) {
    const settings = { ...connection.settings, [key]: value }
    return goOn({ ...connection, settings, found: without(connection, key) }, at)
  }
  const heard = withHosts(connection, key, value)
  const next = {
    ...heard,
    turn: connection.turn + 1,
    state: { kind: 'storing', key, since: at },
  } as const
  return stay(next, {
    kind: 'store',
    key,
    value,
    ...(message?.ref && { message: message.ref }),
  })
}

function withHosts(connection: Connection, key: string, value: string): Connection {
  if (needFor(connection.service, key).isAddress !== true) return connection
  const found = hostsIn(value)
  return found.kind === 'hosts' ? { ...connection, hosts: found.hosts } : connection
}

function afterNoSignIn(connection: Connection, state: Asking, isUnavailable: boolean): Step {
  if (isUnavailable) return ask(connection, state.key, state.method + 1)
  const { connection: next, effects } = ask(connection, state.key, connection.service.oauth.length)
  return { connection: next, effects: [say(SIGN_IN_FAILED), ...effects] }
}

function afterSecondLook(
  connection: Connection,
  state: Asking,
  found: Connection['found'],
  at: number,
): Step {
  const ref = found.missing.includes(state.key) ? undefined : found.refs[state.key]
  const isNew = ref !== undefined && connection.attempts === 0
  if (isNew) return goOn(withRef(connection, state.key, ref), at)
  if (state.method >= connection.service.oauth.length) return stay(connection)
  return ask(connection, state.key, state.method)
}

function withRef(connection: Connection, key: string, ref: string): Connection {
  const refs = { ...connection.found.refs, [key]: ref }
  return { ...connection, found: { ...without(connection, key), refs } }
}

function without({ found }: Connection, key: string): Connection['found'] {
  return { ...found, missing: found.missing.filter((missing) => missing !== key) }
}
