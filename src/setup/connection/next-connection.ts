/**
 * A connection as a state machine: from a state and an event to the next state and its effects. Pure; another file
 * acts.
 *
 *            nothing missing
 *   start ──────────────────────────────► installing ──► connecting ──► verifying ──► connected
 *     │                                    ▲      │           │             │
 *     │ look                     all there │      │ failed    │ failed      │ failed
 *     ▼            answer                  │      ▼           ▼             ▼
 *   asking ─────────────────► storing ─────┤    failed ◄──────┴─────────────┤
 *     ▲ ▲ an ordinary message passes by    │ one more to ask                │ unauthorized, the third time
 *     │ └──────────────────────────────────┘                                │
 *     └─────────────────────────────────────────────────────────────────────┘ unauthorized
 *
 * `connecting` and `verifying` also lead to `offering`, if the server did not start for want of something that a yes
 * gives it: to `installing` by a yes, to `failed` by a no. A setting that it lacks leads to `asking`.
 *
 * `awaiting-vault` stands before `asking` and `installing` where the vault is missing or locked and a person is there to
 * open it; then the connection looks again.
 *
 * `connected`, `failed` and `cancelled` are final. Every other state is left for `cancelled` by a cancel word, another
 * connect, or ten minutes without an answer. A result of older work has an older turn, and changes nothing.
 */
import { nextAsking, nextStoring } from './next-asking.ts'
import { afterFailure, isAnswer, nextOffering } from './next-offering.ts'
import {
  type DefinitionPlan,
  type Connection,
  type TimedEvent,
  hasEnded,
  type SaidMessage,
  type Step,
  secretNeeds,
} from './connection.ts'
import { afterRefusal, cleanUp, end, goOn, install, say, stay } from './connection-steps.ts'
import { busy, cancelled, connected, timedOut } from './connection-messages.ts'
import { isCancelWord, readAnswer } from './read-answer.ts'
import { offerSearch } from './search-offer.ts'

export function nextConnection(connection: Connection, event: TimedEvent): Step {
  if (hasEnded(connection)) return afterEnd(connection, event)
  if ('turn' in event && event.turn !== connection.turn) return stay(connection)
  switch (event.kind) {
    case 'cancel':
    case 'replaced':
      return end(connection, { kind: 'cancelled' }, cancelled(connection.service))
    case 'expired':
      return end(connection, { kind: 'cancelled' }, timedOut(connection.service, connection.isChat))
    case 'begin':
      return event.at < connection.expiresAt
        ? begin(connection)
        : end(connection, { kind: 'cancelled' }, timedOut(connection.service, connection.isChat))
    case 'failed':
      return afterFailure(connection, event)
    default:
      return nextInState(connection, event)
  }
}

function nextInState(connection: Connection, event: TimedEvent): Step {
  const { state } = connection
  if (state.kind === 'asking') return nextAsking(connection, state, event)
  if (state.kind === 'offering' && isAnswer(event)) return nextOffering(connection, state, event)
  if (event.kind === 'said') return afterRemark(connection, event.message)
  switch (state.kind) {
    case 'start':
      return event.kind === 'looked' ? afterLook(connection, event, event.at) : stay(connection)
    case 'awaiting-vault':
      return event.kind === 'vault-opened' ? lookAgain(connection) : stay(connection)
    case 'storing':
      return nextStoring(connection, state.key, event)
    default:
      return nextWorking(connection, event)
  }
}

type Looked = Pick<Extract<TimedEvent, { kind: 'looked' }>, 'found' | 'vault'>

/** References to the vault that could not be checked before can be now. */
function lookAgain(connection: Connection): Step {
  const turn = connection.turn + 1
  return stay({ ...connection, turn, state: { kind: 'start' } }, { kind: 'look' })
}

/** The notes are shown first if the service is not from the catalog, was parsed from a pasted line, or keeps data. */
function afterLook(before: Connection, { found, vault }: Looked, at: number): Step {
  const { vault: _old, ...connection } = before
  const { origin, notes, keepsData = false } = connection.service
  const { connection: next, effects } = goOn({ ...connection, found, ...(vault && { vault }) }, at)
  if (next.state.kind === 'awaiting-vault') return stay(next, ...effects)
  const isWorthSaying = origin !== 'catalog' || connection.isPasted === true || keepsData
  const warning = isWorthSaying && notes.length > 0 ? [say(notes.join('\n'))] : []
  const given = connection.places ? [say(connection.places.means)] : []
  const isAsking = next.state.kind === 'asking'
  return stay(
    next,
    ...warning,
    ...given,
    ...effects,
    ...(isAsking ? [{ kind: 'prefetch' } as const] : []),
  )
}

function nextWorking(connection: Connection, event: TimedEvent): Step {
  const turn = connection.turn + 1
  switch (event.kind) {
    case 'prepared': {
      const plan = keepUndo(connection.plan, event.plan)
      const facts = connection.plan || event.facts === undefined ? [] : [say(event.facts)]
      const next = { ...connection, turn, plan, state: { kind: 'connecting' } } as const
      return stay(next, ...facts, { kind: 'connect' })
    }
    case 'started': {
      const state = { kind: 'verifying', tools: event.tools } as const
      return stay({ ...connection, turn, state }, { kind: 'verify' })
    }
    case 'verified':
      return afterVerified(connection, event)
    case 'unauthorized':
      return afterRefusal(connection, event.reason, event.at)
    default:
      return stay(connection)
  }
}

function afterVerified(
  connection: Connection,
  { isCertain, ...event }: Extract<TimedEvent, { kind: 'verified' }>,
): Step {
  const { service, isChat, found, state } = connection
  const tools = state.kind === 'verifying' ? state.tools : 0
  const isTested = isCertain || Object.keys(found.refs).length === 0
  const identity = event.identity ?? connection.identity
  const offer = isChat ? offerSearch(service) : undefined
  const next = { ...connection, turn: connection.turn + 1, state: { kind: 'connected' } } as const
  const done = say(connected(service, tools, { isTested, identity }))
  return stay(next, done, ...(offer === undefined ? [] : [say(offer)]))
}

/**
 * During work only a cancel word is for the connection; but a token that is sent again must not reach other handlers.
 */
function afterRemark(connection: Connection, message: SaidMessage): Step {
  const { service } = connection
  if (isCancelWord(message.text)) return end(connection, { kind: 'cancelled' }, cancelled(service))
  const isOrdinary = secretNeeds(service).every(
    (need) => readAnswer(service, need, message).kind === 'ordinary',
  )
  if (isOrdinary) return stay(connection, { kind: 'pass' })
  const erase = { kind: 'erase', ...(message.ref && { message: message.ref }) } as const
  return stay(connection, erase, say(busy(service)))
}

/** Undoing leads back to the definition from before the first attempt. */
function keepUndo(before: DefinitionPlan | undefined, plan: DefinitionPlan): DefinitionPlan {
  return before && before.undo.kind !== 'none' ? { ...plan, undo: before.undo } : plan
}

/** Work that a crash interrupted is repeated from its start; every piece of work is safe to repeat. */
function begin(connection: Connection): Step {
  const { state, turn } = connection
  const next = { ...connection, turn: turn + 1 }
  if (state.kind === 'awaiting-vault') return lookAgain(connection)
  if (state.kind === 'start' || state.kind === 'asking') return stay(next, { kind: 'look' })
  if (state.kind !== 'storing') return install(connection)
  return stay(next, { kind: 'recall', key: state.key, since: state.since })
}

/** The end is final, but a crash may have prevented the clean-up. */
function afterEnd(connection: Connection, event: TimedEvent): Step {
  if (event.kind === 'said') return stay(connection, { kind: 'pass' })
  const isUnfinished = event.kind === 'begin' && connection.state.kind !== 'connected'
  return stay(connection, ...(isUnfinished ? cleanUp(connection) : []))
}
