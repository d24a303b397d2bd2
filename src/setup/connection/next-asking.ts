/** The part of a connect flow in which a person is asked, and their answer put away. Pure. */
import { hostsIn } from '../server/address-hosts.ts'
import {
  type Entry,
  type Flow,
  type FlowEvent,
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

type Asking = Extract<Flow['state'], { kind: 'asking' }>

export function nextAsking(flow: Flow, state: Asking, event: FlowEvent): Step {
  switch (event.kind) {
    case 'said':
      return afterMessage(flow, state.key, event.message, event.at)
    case 'provided':
      return afterProvided(flow, state.key, event.entry, event.at)
    case 'prompted':
      return stay(
        { ...flow, state: { ...state, prompt: event.prompt } },
        say(askToSignIn(event.prompt)),
      )
    case 'acquired':
      return goOn(withRef(flow, state.key, event.ref), event.at)
    case 'not-acquired':
      return afterNoSignIn(flow, state, event.isUnavailable)
    case 'no-package':
      return fail(flow, event.reason)
    // Looked again after a restart: what was acquired just before it ended is there.
    case 'looked':
      return afterSecondLook(flow, state, event.found, event.at)
    default:
      return stay(flow)
  }
}

export function nextStoring(flow: Flow, key: string, event: FlowEvent): Step {
  if (event.kind !== 'stored' && event.kind !== 'not-stored') return stay(flow)
  const warning = event.isDeleted === false ? [say(NOT_DELETED)] : []
  const step =
    event.kind === 'stored'
      ? goOn(withRef(flow, key, event.ref), event.at)
      : askAgain(flow, key, event.reason)
  return { flow: step.flow, effects: [...warning, ...step.effects] }
}

function askAgain(flow: Flow, key: string, reason: string): Step {
  return ask(flow, key, flow.service.oauth.length, notStored(reason))
}

function afterMessage(flow: Flow, key: string, message: SaidMessage, at: number): Step {
  const { service } = flow
  const need = needFor(service, key)
  const answer = readAnswer(service, need, message)
  if (answer.kind === 'ordinary') return stay(flow, { kind: 'pass' })
  if (answer.kind === 'cancel') return end(flow, { kind: 'cancelled' }, cancelled(service))
  const heard = { ...flow, isChat: true }
  if (answer.kind === 'value' && !(message.isGroup && need.secret !== undefined)) {
    return take(heard, key, answer.value, { at, message })
  }
  const erase = { kind: 'erase', ...(message.ref && { message: message.ref }) } as const
  return stay(heard, erase, say(refusalOf(flow, key, answer)))
}

type Unusable = Exclude<ReturnType<typeof readAnswer>, { kind: 'ordinary' | 'cancel' }>

function refusalOf({ service }: Flow, key: string, answer: Unusable): string {
  const need = needFor(service, key)
  if (answer.kind === 'in-pieces') return inPieces(need)
  if (answer.kind === 'of-another') return wrongToken(service, need, answer.title)
  if (answer.kind === 'misplaced') return notASetting(service, need)
  if (answer.kind === 'no-way') return noWay(need, answer.fault)
  return othersReadAlong(service, need)
}

function afterProvided(flow: Flow, key: string, entry: Entry, at: number): Step {
  const { service } = flow
  const isUsable = faultIn(service, needFor(service, key), entry) === undefined
  return isUsable ? take(flow, key, entry.text.trim(), { at }) : stay(flow)
}

interface Arrival {
  readonly at: number
  readonly message?: SaidMessage
}

/** A setting is kept at once; a credential goes into the vault before anything else happens. */
function take(flow: Flow, key: string, value: string, { at, message }: Arrival): Step {
  if (needFor(flow.service, key).secret === undefined) {
    const settings = { ...flow.settings, [key]: value }
    return goOn({ ...flow, settings, found: without(flow, key) }, at)
  }
  const heard = withHosts(flow, key, value)
  const next = {
    ...heard,
    turn: flow.turn + 1,
    state: { kind: 'storing', key, since: at },
  } as const
  return stay(next, {
    kind: 'store',
    key,
    value,
    ...(message?.ref && { message: message.ref }),
  })
}

function withHosts(flow: Flow, key: string, value: string): Flow {
  if (needFor(flow.service, key).isAddress !== true) return flow
  const found = hostsIn(value)
  return found.kind === 'hosts' ? { ...flow, hosts: found.hosts } : flow
}

function afterNoSignIn(flow: Flow, state: Asking, isUnavailable: boolean): Step {
  if (isUnavailable) return ask(flow, state.key, state.method + 1)
  const { flow: next, effects } = ask(flow, state.key, flow.service.oauth.length)
  return { flow: next, effects: [say(SIGN_IN_FAILED), ...effects] }
}

function afterSecondLook(flow: Flow, state: Asking, found: Flow['found'], at: number): Step {
  const ref = found.missing.includes(state.key) ? undefined : found.refs[state.key]
  const isNew = ref !== undefined && flow.attempts === 0
  if (isNew) return goOn(withRef(flow, state.key, ref), at)
  if (state.method >= flow.service.oauth.length) return stay(flow)
  return ask(flow, state.key, state.method)
}

function withRef(flow: Flow, key: string, ref: string): Flow {
  const refs = { ...flow.found.refs, [key]: ref }
  return { ...flow, found: { ...without(flow, key), refs } }
}

function without({ found }: Flow, key: string): Flow['found'] {
  return { ...found, missing: found.missing.filter((missing) => missing !== key) }
}
