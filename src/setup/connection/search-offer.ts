/**
 * The offer after "connect notion" in a chat: shall it be tried with a search? A yes stands for the sentence
 * `search notion`, which is planned and decided like any other; a no ends it. Any other message closes the offer.
 */
import type { Meant, Reply } from '../../kernel/receive.ts'
import type { Service } from '../../ports/service-facts.ts'
import { type Connection, QUESTION_MS } from './connection.ts'
import { yesOrNo } from './next-offering.ts'

export interface SearchOffer {
  /** Undefined if the text is no answer, or nothing was offered. */
  answer(
    running: { readonly connection: Connection } | undefined,
    text: string,
  ): Reply | Meant | undefined
}

/** Undefined for a service that the catalog does not describe as one to search in. */
export function offerSearch({ origin, about }: Service): string | undefined {
  if (origin !== 'catalog' || !/^search\b/i.test(about)) return undefined
  const abilities = about.charAt(0).toLowerCase() + about.slice(1)
  return `I can ${abilities} Want me to test with a search?`
}

export function createSearchOffer(now: () => number): SearchOffer {
  /** The connection whose offer is over. */
  let closed: string | undefined
  return {
    answer(running, text) {
      const { connection } = running ?? {}
      if (!connection || connection.id === closed || !isOffered(connection)) return undefined
      closed = connection.id
      if (now() > connection.expiresAt + QUESTION_MS) return undefined
      const isWanted = yesOrNo(text.replace(/[\s.!,]+$/, '').replace(/,? please$/i, ''))
      if (isWanted === undefined) return undefined
      return isWanted
        ? { kind: 'meant', text: `search ${connection.service.slug}` }
        : { kind: 'text', text: 'All right.' }
    },
  }
}

function isOffered({ state, isChat, service }: Connection): boolean {
  return state.kind === 'connected' && isChat && offerSearch(service) !== undefined
}
