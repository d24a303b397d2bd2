/**
 * A connect flow, one step at a time: what an event makes of it, and what is to be done then. Pure; another file acts.
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
 * Every state but the last three is left for `cancelled` by a cancel word, another connect, or ten minutes without an
 * answer. Nothing leaves the last three. A result of older work is told by its turn, and changes nothing.
 */
import { nextAsking, nextStoring } from './next-asking.ts'
import {
  type DefinitionPlan,
  type Flow,
  type FlowEvent,
  hasEnded,
  type SaidMessage,
  type Step,
  secretNeeds,
} from './connection.ts'
import { afterRefusal, cleanUp, end, fail, goOn, install, say, stay } from './connection-steps.ts'
import { busy, cancelled, connected, timedOut } from './connection-messages.ts'
import { isCancelWord, readAnswer } from './read-answer.ts'

export function nextFlow(flow: Flow, event: FlowEvent): Step {
  if (hasEnded(flow)) return afterEnd(flow, event)
  if ('turn' in event && event.turn !== flow.turn) return stay(flow)
  switch (event.kind) {
    case 'cancel':
    case 'replaced':
      return end(flow, { kind: 'cancelled' }, cancelled(flow.service))
    case 'expired':
      return end(flow, { kind: 'cancelled' }, timedOut(flow.service))
    case 'begin':
      return event.at < flow.expiresAt
        ? begin(flow)
        : end(flow, { kind: 'cancelled' }, timedOut(flow.service))
    case 'failed':
      return fail(flow, event.reason)
    default:
      return nextInState(flow, event)
  }
}

function nextInState(flow: Flow, event: FlowEvent): Step {
  const { state } = flow
  if (state.kind === 'asking') return nextAsking(flow, state, event)
  if (event.kind === 'said') return afterRemark(flow, event.message)
  switch (state.kind) {
    case 'start':
      return event.kind === 'looked' ? afterLook(flow, event.found, event.at) : stay(flow)
    case 'storing':
      return nextStoring(flow, state.key, event)
    default:
      return nextWorking(flow, event)
  }
}

/** Whoever connects what the catalog does not know is told so first; and what was made of a pasted line. */
function afterLook(flow: Flow, found: Flow['found'], at: number): Step {
  const { origin, notes } = flow.service
  const { flow: next, effects } = goOn({ ...flow, found }, at)
  const isWorthSaying = origin !== 'catalog' || flow.isPasted === true
  const warning = isWorthSaying && notes.length > 0 ? [say(notes.join('\n'))] : []
  const isAsking = next.state.kind === 'asking'
  return stay(next, ...warning, ...effects, ...(isAsking ? [{ kind: 'prefetch' } as const] : []))
}

function nextWorking(flow: Flow, event: FlowEvent): Step {
  const turn = flow.turn + 1
  switch (event.kind) {
    case 'prepared': {
      const plan = keepUndo(flow.plan, event.plan)
      const facts = flow.plan || event.facts === undefined ? [] : [say(event.facts)]
      const next = { ...flow, turn, plan, state: { kind: 'connecting' } } as const
      return stay(next, ...facts, { kind: 'connect' })
    }
    case 'started': {
      const state = { kind: 'verifying', tools: event.tools } as const
      return stay({ ...flow, turn, state }, { kind: 'verify' })
    }
    case 'verified': {
      const tools = flow.state.kind === 'verifying' ? flow.state.tools : 0
      const isTested = event.isCertain || Object.keys(flow.found.refs).length === 0
      const next = { ...flow, turn, state: { kind: 'connected' } } as const
      return stay(next, say(connected(flow.service, tools, isTested)))
    }
    case 'unauthorized':
      return afterRefusal(flow, event.reason, event.at)
    default:
      return stay(flow)
  }
}

/** While it works, only a cancel word is for the flow; but a token that is sent twice must not go on to others. */
function afterRemark(flow: Flow, message: SaidMessage): Step {
  const { service } = flow
  if (isCancelWord(message.text)) return end(flow, { kind: 'cancelled' }, cancelled(service))
  const isOrdinary = secretNeeds(service).every(
    (need) => readAnswer(service, need, message).kind === 'ordinary',
  )
  if (isOrdinary) return stay(flow, { kind: 'pass' })
  const erase = { kind: 'erase', ...(message.ref && { message: message.ref }) } as const
  return stay(flow, erase, say(busy(service)))
}

/** What was there before the first attempt is what undoing leads back to. */
function keepUndo(before: DefinitionPlan | undefined, plan: DefinitionPlan): DefinitionPlan {
  return before && before.undo.kind !== 'none' ? { ...plan, undo: before.undo } : plan
}

/** Work that a crash cut short is done again from its start; all of it can be. */
function begin(flow: Flow): Step {
  const { state, turn } = flow
  const next = { ...flow, turn: turn + 1 }
  if (state.kind === 'start' || state.kind === 'asking') return stay(next, { kind: 'look' })
  if (state.kind !== 'storing') return install(flow)
  return stay(next, { kind: 'recall', key: state.key, since: state.since })
}

/** Ended for good, except that a crash may have kept it from cleaning up. */
function afterEnd(flow: Flow, event: FlowEvent): Step {
  if (event.kind === 'said') return stay(flow, { kind: 'pass' })
  const isUnfinished = event.kind === 'begin' && flow.state.kind !== 'connected'
  return stay(flow, ...(isUnfinished ? cleanUp(flow) : []))
}
