/**
 * What happens to a message. The order is fixed: a setup flow may take it, then a connect command, then the pipeline.
 * A message that setup takes is never seen by anything after it, so no model ever reads a credential.
 */
import type { Principal } from './principal.ts'

export interface Message {
  readonly principal: Principal
  readonly text: string
}

export type Reply =
  | { readonly kind: 'text'; readonly text: string }
  /** Nothing in this house can answer it yet. */
  | { readonly kind: 'unanswered' }

/** Takes a message and answers it, or leaves it to the next. */
export type Taker = (message: Message, signal: AbortSignal) => Promise<Reply | undefined>

export async function receive(
  takers: readonly Taker[],
  message: Message,
  signal: AbortSignal,
): Promise<Reply> {
  for (const take of takers) {
    const reply = await take(message, signal)
    if (reply) return reply
  }
  return { kind: 'unanswered' }
}
