/**
 * The conversation of this page: what was said, and the turns that answer. Kept while the page is open; the history of all
 * channels is in memory on the server. A message that held a credential is not kept here either.
 */
import { type Signal, signal } from '@preact/signals'
import type { Output } from '../../api/contract.ts'
import type { ConnectionView } from '../../ports/setup-port.ts'
import type { TurnEvent } from '../../ports/turn-port.ts'
import { ask, isPassing, Refused } from './ask.ts'

export type Entry =
  | { readonly kind: 'said'; readonly id: number; readonly text: string }
  | {
      readonly kind: 'reply'
      readonly id: number
      readonly text: string
      readonly hasFailed: boolean
      /** The servers whose words it is. */
      readonly from?: readonly string[]
    }
  | { readonly kind: 'turn'; readonly id: number; readonly turn: TurnState }
  | { readonly kind: 'connection'; readonly id: number; readonly view: ConnectionView }

export interface TurnState {
  readonly turn: string
  readonly events: Signal<readonly TurnEvent[]>
  readonly isOver: Signal<boolean>
}

/** A tab is a conversation of its own, so that a yes in one tab never answers the question of another. */
const CHAT = `tab-${crypto.randomUUID()}`

export const entries: Signal<readonly Entry[]> = signal([])
/** Messages that were sent and not replied to yet: a call that was typed out waits for its approval meanwhile. */
export const unanswered: Signal<number> = signal(0)
const next = { id: 1 }

type NewEntry = Entry extends infer One ? (One extends Entry ? Omit<One, 'id'> : never) : never

function add(entry: NewEntry): number {
  const { id } = next
  next.id += 1
  entries.value = [...entries.value, { ...entry, id }]
  return id
}

/** Sends a message and shows its answer as it comes. True if it was taken; otherwise the text can be sent again. */
export async function say(text: string): Promise<boolean> {
  const said = add({ kind: 'said', text })
  unanswered.value += 1
  try {
    const answer = await ask('chat.send', { text, chat: CHAT })
    if (answer.wasSecret) replaceSaid(said)
    if (answer.turn !== undefined) {
      const turn = {
        turn: answer.turn,
        events: signal<readonly TurnEvent[]>([]),
        isOver: signal(false),
      }
      if (!isShown(answer.turn)) add({ kind: 'turn', turn })
      void follow(turn)
      return true
    }
    const { connection } = answer
    if (connection?.question || isUnderWay(connection)) showConnection(connection)
    else add(replyFrom(answer))
    return true
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    entries.value = entries.value.filter(({ id }) => id !== said)
    add({ kind: 'reply', text: `${error.message}. ${error.hint}.`, hasFailed: true })
    return false
  } finally {
    unanswered.value -= 1
  }
}

function replyFrom({ reply, needsVault, from }: Output<'chat.send'>): NewEntry {
  const hasFailed = needsVault === true
  return { kind: 'reply', text: reply, hasFailed, ...(from && { from }) }
}

/** The turn that waits for an answer goes on under its first entry. */
function isShown(turn: string): boolean {
  return entries.value.some((entry) => entry.kind === 'turn' && entry.turn.turn === turn)
}

function isUnderWay(view: ConnectionView | null): view is ConnectionView {
  return view !== null && !['connected', 'failed', 'cancelled'].includes(view.phase)
}

function showConnection(view: ConnectionView | null): void {
  const isKnown = entries.value.some(
    (entry) => entry.kind === 'connection' && entry.view.connection === view?.connection,
  )
  if (view && !isKnown) add({ kind: 'connection', view })
}

function replaceSaid(said: number): void {
  entries.value = entries.value.map((entry) =>
    entry.id === said && entry.kind === 'said' ? { ...entry, text: '[credential]' } : entry,
  )
}

const RETRY_MS = 500

async function follow({ turn, events, isOver }: TurnState): Promise<void> {
  while (!isOver.value) {
    try {
      const view = await ask('chat.follow', { turn, after: events.value.length })
      if (view.events.length > 0) events.value = [...events.value, ...view.events]
      isOver.value = view.isOver
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (!isPassing(error)) {
        isOver.value = true
        add({ kind: 'reply', text: 'Cordon was restarted before it answered.', hasFailed: true })
        return
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}
