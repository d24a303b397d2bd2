/** The steps that several states take: to ask, to get to work, to end. Pure. */
import { FLOW_MS, type Flow, type FlowEffect, MAX_ATTEMPTS, needFor, type Step } from './connection.ts'
import { askFor, connecting, givenUp, notStarted, tokenRefused } from './connection-messages.ts'

export function say(text: string): FlowEffect {
  return { kind: 'say', text }
}

export function stay(flow: Flow, ...effects: readonly FlowEffect[]): Step {
  return { flow, effects }
}

/** Asks for the next missing credential, or gets to work where none is. The time starts anew. */
export function goOn(flow: Flow, at: number): Step {
  const [key] = flow.found.missing
  const refreshed = { ...flow, expiresAt: at + FLOW_MS }
  if (key !== undefined) return ask(refreshed, key, 0)
  const hasCredential = Object.keys(flow.found.refs).length > 0
  const { flow: next, effects } = install(refreshed)
  return { flow: next, effects: [say(connecting(flow.service, hasCredential)), ...effects] }
}

export function install(flow: Flow): Step {
  const next = { ...flow, turn: flow.turn + 1, state: { kind: 'installing' } } as const
  return { flow: next, effects: [{ kind: 'install' }] }
}

/** By the first way from `from` on that needs no typing, else in words. */
export function ask(flow: Flow, key: string, from: number, opening?: string): Step {
  const { service } = flow
  const method = methodFrom(flow, key, from)
  const next = { ...flow, turn: flow.turn + 1, state: { kind: 'asking', key, method } } as const
  const first = opening === undefined ? [] : [say(opening)]
  if (method < service.oauth.length) {
    return { flow: next, effects: [...first, { kind: 'acquire', method }] }
  }
  const words = opening ?? askFor(service, needFor(service, key), flow)
  return { flow: next, effects: [say(words)] }
}

/** A token that was not accepted: the server that has it is ended first, then a new one is asked for. */
export function afterRefusal(flow: Flow, reason: string, at: number): Step {
  const { service, found } = flow
  const attempts = flow.attempts + (Object.keys(found.refs).length > 0 ? 1 : 0)
  const missing = secretKeys(flow)
  const [key] = missing
  if (key === undefined) return fail(flow, reason)
  if (attempts >= MAX_ATTEMPTS) {
    return end(flow, { kind: 'failed', reason }, givenUp(service, attempts, reason))
  }
  const again = { ...flow, attempts, found: { ...found, missing }, expiresAt: at + FLOW_MS }
  const isNew = attempts === flow.attempts
  const opening = isNew ? undefined : tokenRefused(service, needFor(service, key), reason)
  const { flow: next, effects } = ask(again, key, 0, opening)
  return { flow: next, effects: [{ kind: 'halt' }, ...effects] }
}

export function fail(flow: Flow, reason: string): Step {
  return end(flow, { kind: 'failed', reason }, notStarted(flow.service, reason))
}

/** Whatever was under way is over, and the definition is as it was. Credentials stay: a person may try again. */
export function end(flow: Flow, state: Flow['state'], text: string): Step {
  const next = { ...flow, turn: flow.turn + 1, state }
  return { flow: next, effects: [say(text), ...cleanUp(flow)] }
}

export function cleanUp({ plan }: Flow): readonly FlowEffect[] {
  return plan ? [{ kind: 'halt' }, { kind: 'undo' }] : []
}

function methodFrom({ service: { oauth } }: Flow, key: string, from: number): number {
  const index = oauth.findIndex((method, at) => at >= from && method.key === key)
  return index < 0 ? oauth.length : index
}

/** What may be behind a refusal: the secrets that are required, else the first one there is. */
function secretKeys({ service }: Flow): readonly string[] {
  const secrets = service.credentials.filter(({ secret }) => secret !== undefined)
  const required = secrets.filter((need) => need.required).map(({ key }) => key)
  if (required.length > 0) return required
  return [...secrets.map(({ key }) => key), ...service.oauth.map(({ key }) => key)].slice(0, 1)
}
