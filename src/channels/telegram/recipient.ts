/** The sinks of Telegram: the owner's chat, the chat of a paired person, a group. A group may hold anybody. Pure. */
import { TELEGRAM_SINK } from '../../labels/sink.ts'
import type { Sink } from '../../labels/sink.ts'
import type { Person } from './pairings.ts'

export interface Recipient {
  readonly chat: string
  readonly sink: Sink
}

/** A chat of somebody who is not paired is no sink at all. */
export function createRecipient(chat: string, person: Person, isGroup: boolean): Recipient {
  if (isGroup) return { chat, sink: { name: `sink:telegram:group:${chat}`, clearance: 'public' } }
  if (person.role === 'owner') return { chat, sink: TELEGRAM_SINK }
  return { chat, sink: { name: `sink:telegram:peer:${person.id}`, clearance: 'internal' } }
}
