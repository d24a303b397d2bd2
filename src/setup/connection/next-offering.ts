/**
 * The part of a connection in which a server did not start and a person could help: a host, more memory, a setting.
 * Pure. A server that names what it lacks is never believed beyond a question to the person.
 */
import { isSecretName } from '../../text/secret-name.ts'
import type { DefinitionChanges } from '../../kernel/definition-change.ts'
import type { CredentialNeed, Service } from '../../ports/service-facts.ts'
import {
  type Connection,
  type Offer,
  QUESTION_MS,
  type Remedy,
  type Step,
  type TimedEvent,
} from './connection.ts'
import {
  connecting,
  declined,
  offered,
  offerQuestion,
  settingMissing,
} from './connection-messages.ts'
import { ask, fail, install, say, stay } from './connection-steps.ts'

const MOST_OFFERS = 6

type Offering = Extract<Connection['state'], { kind: 'offering' }>

type Failure = Extract<TimedEvent, { kind: 'failed' }>

export function afterFailure(connection: Connection, { remedy, reason, at }: Failure): Step {
  return remedy ? offer(connection, remedy, reason, at) : fail(connection, reason)
}

/** Stops the server, which may be about to start again, and asks. After too many offers the failure stands. */
function offer(connection: Connection, remedy: Remedy, reason: string, at: number): Step {
  const { service, offers = 0 } = connection
  if (offers >= MOST_OFFERS) return fail(connection, reason)
  const counted = { ...connection, offers: offers + 1, expiresAt: at + QUESTION_MS }
  if (remedy.kind === 'setting') return askForSetting(counted, remedy)
  const state = { kind: 'offering', offer: remedy, reason } as const
  const next = { ...counted, turn: connection.turn + 1, state }
  const question = `${offerQuestion(service, remedy)} (yes or no)`
  return stay(next, { kind: 'halt' }, say(offered(service, remedy)), say(question))
}

type Answer = Extract<TimedEvent, { kind: 'said' | 'provided' }>

/** Whether the event answers an offer; any other message is treated as during work. */
export function isAnswer(event: TimedEvent): event is Answer {
  if (event.kind !== 'said' && event.kind !== 'provided') return false
  return yesOrNo(textOf(event)) !== undefined
}

export function nextOffering(connection: Connection, state: Offering, answer: Answer): Step {
  const { service } = connection
  const heard = answer.kind === 'said' ? { ...connection, isChat: true } : connection
  if (yesOrNo(textOf(answer)) !== true) {
    return fail(heard, `${state.reason}. ${declined(service, state.offer)}`)
  }
  const step = install({ ...heard, changes: withOffer(connection, state.offer) })
  return { ...step, effects: [say(connecting(service, false)), ...step.effects] }
}

function textOf(answer: Answer): string {
  return answer.kind === 'said' ? answer.message.text : answer.entry.text
}

/** Undefined: neither. */
export function yesOrNo(text: string): boolean | undefined {
  const word = text.trim().toLowerCase()
  if (word === 'yes' || word === 'y') return true
  return word === 'no' || word === 'n' ? false : undefined
}

function withOffer({ changes = {} }: Connection, taken: Offer): DefinitionChanges {
  if (taken.kind === 'memory') return { ...changes, memoryLimit: taken.limit }
  const { allowedDomains = [] } = changes
  return { ...changes, allowedDomains: [...new Set([...allowedDomains, ...taken.hosts])] }
}

type Missing = Extract<Remedy, { kind: 'setting' }>

function askForSetting(connection: Connection, { key, isGuess = false }: Missing): Step {
  const { service, found } = connection
  const need = needNamed(service, key)
  const isSecret = need.secret !== undefined
  const names = { ...found.names, ...(isSecret && { [key]: `${service.slug}.${key}` }) }
  const next = {
    ...connection,
    service: withNeeds(service, [need]),
    found: { ...found, names, missing: [key] },
  }
  const opening = settingMissing(service, key, { isSecret, isGuess })
  const step = ask(next, key, service.oauth.length, opening)
  return { ...step, effects: [{ kind: 'halt' }, ...step.effects] }
}

/** A variable that the catalog does not know. Its name decides whether its value is kept secret. */
function needNamed(service: Service, key: string): CredentialNeed {
  const known = service.credentials.find((need) => need.key === key)
  if (known) return { ...known, required: true }
  if (!isSecretName(key, 'declared')) return { key, title: key, prefixes: [], required: true }
  return secretNeed(service, key)
}

/** The vault name belongs to this service alone: the catalog's slugs are its own, others get theirs in front. */
export function secretNeed({ slug, origin }: Service, key: string): CredentialNeed {
  const secret = origin === 'catalog' ? `${slug}.${key}` : key
  return { key, secret, title: key, prefixes: [], takesAnyToken: true, required: true }
}

/** Later needs replace those with the same key. */
export function withNeeds(service: Service, needs: readonly CredentialNeed[]): Service {
  const keys = new Set(needs.map(({ key }) => key))
  const rest = service.credentials.filter(({ key }) => !keys.has(key))
  return { ...service, credentials: [...rest, ...needs] }
}
