/** A connection as people and surfaces see it. Holds the question, and never the answer. */
import type { CredentialNeed } from '../../ports/service-facts.ts'
import type { ConnectionPhase, ConnectionQuestion, ConnectionView } from '../../ports/setup-port.ts'
import { accessChoices } from '../places/places.ts'
import { type Connection, needFor, type Offer } from './connection.ts'
import { askFor, askToSignIn, offerQuestion, questionSentence } from './connection-messages.ts'

const PHASES: Readonly<Record<Connection['state']['kind'], ConnectionPhase>> = {
  start: 'connecting',
  'awaiting-vault': 'awaiting-vault',
  asking: 'awaiting-credential',
  storing: 'connecting',
  offering: 'awaiting-answer',
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
  const { id, service, state, expiresAt, trouble } = connection
  const question = questionOf(connection)
  return {
    connection: id,
    service: service.slug,
    title: service.title,
    phase: isOnTheWay(connection) ? 'connecting' : PHASES[state.kind],
    ...(question && { question }),
    ...(trouble && { trouble }),
    expiresAt: new Date(expiresAt).toISOString(),
    said: [...said],
    version,
  }
}

/** Whether the connection is about to send another message by itself, within moments. */
export function isOnTheWay({ state, service }: Connection): boolean {
  if (state.kind === 'start' || state.kind === 'storing') return true
  if (state.kind !== 'asking' || state.method >= service.oauth.length) return false
  return !state.prompt || state.isReturned === true
}

/** None until it is known how to ask: a token that nobody has is not asked for while the sign-in is looked up. */
function questionOf(connection: Connection): ConnectionQuestion | undefined {
  const { service, state } = connection
  if (state.kind === 'offering') return offerOf(service, state.offer)
  const isAsked = state.kind === 'asking' && !isOnTheWay(connection)
  return isAsked ? credentialQuestion(connection, state) : undefined
}

function offerOf(service: Connection['service'], offer: Offer): ConnectionQuestion {
  const title = offerQuestion(service, offer)
  return { title, isSecret: false, choices: { yes: 'it is tried again', no: 'it stays disabled' } }
}

type Asking = Extract<Connection['state'], { kind: 'asking' }>

function credentialQuestion(connection: Connection, state: Asking): ConnectionQuestion {
  const { service, form, chosen } = connection
  const need = needFor(service, state.key)
  const { title, secret, where, url, place } = need
  const { prompt } = state
  return {
    title,
    isSecret: secret !== undefined,
    sentence: prompt ? `Sign in to ${service.title}.` : questionSentence(service, need),
    inChat: prompt ? askToSignIn(prompt) : askFor(service, need, connection),
    ...choicesOf(place, chosen),
    ...(where !== undefined && { where }),
    ...(url !== undefined && { url }),
    ...(form !== undefined && { form }),
    ...(prompt?.kind === 'device' && { device: { url: prompt.url, code: prompt.code } }),
    ...(prompt?.kind === 'authorize' && { authorize: prompt.url }),
  }
}

function choicesOf(
  place: CredentialNeed['place'],
  chosen: Connection['chosen'],
): Pick<ConnectionQuestion, 'choices'> {
  return place === 'access' && chosen ? { choices: accessChoices(chosen) } : {}
}
