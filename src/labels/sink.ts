/**
 * The sinks through which values leave the kernel for a person: a terminal, a chat, a page. Each sink is cleared up to
 * a level; an unknown sink is cleared for nothing.
 */
import type { Json } from '../text/json.ts'
import { isAbove, type Level } from './label.ts'
import { Labelled } from './labelled.ts'
import { RevealToken } from './reveal-token.ts'

export interface Sink {
  readonly name: string
  readonly clearance: Level
}

/** The owner's terminal and page, cleared for everything but secrets, which never become values. */
export const OWNER_SINK: Sink = { name: 'sink:owner', clearance: 'regulated' }

/** The owner's private chat with their bot on Telegram. */
export const TELEGRAM_SINK: Sink = { name: 'sink:telegram:owner', clearance: 'regulated' }

export type Delivery =
  | { readonly kind: 'shown'; readonly value: Json }
  | { readonly kind: 'withheld'; readonly reason: string }

export function deliver(value: Labelled, sink: Sink): Delivery {
  if (isAbove(value.label.level, sink.clearance)) {
    return {
      kind: 'withheld',
      reason: "I can't send that information to this channel for privacy reasons.",
    }
  }
  return { kind: 'shown', value: Labelled.reveal(value, RevealToken.issue()) }
}
