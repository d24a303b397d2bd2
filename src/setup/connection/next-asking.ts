/** The states of a connection in which a person is asked and their answer is stored. Pure. */
import { hostsIn } from '../../text/address-hosts.ts'
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
  noPlace,
  notStored,
  noWay,
  othersReadAlong,
  signInFailed,
  wrongToken,
} from './connection-messages.ts'
import { askForClient, isClientGiven } from './ask-for-client.ts'
import { faultIn, readAnswer } from './read-answer.ts'

type Asking = Extract<Connection['state'], { kind: 'asking' }>

export function nextAsking(connection: Connection, state: Asking, event: TimedEvent): Step {
  switch (event.kind) {
    case 'said':
      return afterMessage(connection, state.key, event.message, event.at)
    case 'provided':
      return afterProvided(connection, state.key, event.entry, event.at)
    case 'returned':
      return stay(
        { ...connection, state: { ...state, isReturned: true } },
        { kind: 'erase', ...(event.message && { message: event.message }) },
      )
    case 'prompted':
      return stay(
        { ...connection, state: { ...state, prompt: event.prompt } },
        say(askToSignIn(event.prompt)),
      )
    case 'acquired':
      return goOn(withRef(knownAs(connection, event.identity), state.key, event.ref), event.at)
    case 'not-acquired':
      return afterNoSignIn(connection, state, event)
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
  const heard = { ...connection, isChat: true, ...(message.ref && { isRemote: true }) }
  if (answer.kind === 'no-place') return stay(heard, say(noPlace(answer.fault)))
  if (answer.kind === 'value' && !(message.isGroup && need.secret !== undefined)) {
    return take(heard, key, answer.value, { at, message, place: message.place })
  }
  const erase = { kind: 'erase', ...(message.ref && { message: message.ref }) } as const
  return stay(heard, erase, say(refusalOf(connection, key, answer)))
}

type Unusable = Exclude<ReturnType<typeof readAnswer>, { kind: 'ordinary' | 'cancel' | 'no-place' }>

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
  const { place } = entry
  return isUsable ? take(connection, key, entry.text.trim(), { at, place }) : stay(connection)
}

interface Arrival {
  readonly at: number
  readonly message?: SaidMessage
  readonly place: Entry['place'] | undefined
}

/** A setting is kept at once; a credential goes into the vault before anything else happens. */
function take(connection: Connection, key: string, value: string, arrival: Arrival): Step {
  const { at, message } = arrival
  if (needFor(connection.service, key).place !== undefined)
    return takePlace(connection, key, arrival)
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

function takePlace(connection: Connection, key: string, { at, place }: Arrival): Step {
  const found = without(connection, key)
  if (place?.kind === 'chosen') return goOn({ ...connection, found, chosen: place.chosen }, at)
  if (place?.kind !== 'places') return stay(connection)
  const { connection: next, effects } = goOn({ ...connection, found, places: place.places }, at)
  return { connection: next, effects: [say(place.places.means), ...effects] }
}

function withHosts(connection: Connection, key: string, value: string): Connection {
  if (needFor(connection.service, key).isAddress !== true) return connection
  const found = hostsIn(value)
  return found.kind === 'hosts' ? { ...connection, hosts: found.hosts } : connection
}

type NoSignIn = Pick<
  Extract<TimedEvent, { kind: 'not-acquired' }>,
  'isUnavailable' | 'failure' | 'client'
>

/** Goes on with the next method if this one could not begin, else with a typed token; the reason is told either way. */
function afterNoSignIn(
  connection: Connection,
  { key, method }: Asking,
  { isUnavailable, failure, client }: NoSignIn,
): Step {
  const { service } = connection
  const isTyped = service.credentials.some((need) => need.key === key)
  // A typed token of a known kind needs no client; where signing in is the usual way, nothing was reported as failed.
  const isAsked = client && !isClientGiven(connection, client) && (!failure || !isTyped)
  if (isAsked) return askForClient(connection, client)
  const step = ask(connection, key, isUnavailable ? method + 1 : service.oauth.length)
  if (!failure) return step
  const isLast = step.effects.every(({ kind }) => kind !== 'acquire')
  const why = say(signInFailed(service, failure, { isLast, isTyped }))
  const effects = isLast && !isTyped ? [why] : [why, ...step.effects]
  const trouble = failure.isTimeout === true ? 'sign-in-timed-out' : 'sign-in-failed'
  return { connection: { ...step.connection, trouble }, effects }
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

function knownAs(connection: Connection, identity: Connection['identity']): Connection {
  return identity ? { ...connection, identity } : connection
}

function withRef(connection: Connection, key: string, ref: string): Connection {
  const refs = { ...connection.found.refs, [key]: ref }
  return { ...connection, found: { ...without(connection, key), refs } }
}

function without({ found }: Connection, key: string): Connection['found'] {
  return { ...found, missing: found.missing.filter((missing) => missing !== key) }
}
