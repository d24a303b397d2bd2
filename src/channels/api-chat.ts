/** A terminal chat over the API: sends messages, and shows the messages of a connection as they happen. */
import type { Api } from '../api/contract.ts'
import { isOffered } from '../api/show-proposal.ts'
import { CordonError } from '../kernel/error.ts'
import { nextView } from '../api/long-poll.ts'
import type { ConnectionView } from '../kernel/setup-port.ts'
import type { ChatPlace } from './chat-lines.ts'
import { offerOf } from './mark-tool.ts'
import type { ChatAnswer, TerminalChat } from './terminal-chat.ts'

const ENDED: ReadonlySet<ConnectionView['phase']> = new Set(['connected', 'failed', 'cancelled'])
const AT_WORK: ReadonlySet<ConnectionView['phase']> = new Set([
  'installing',
  'connecting',
  'verifying',
])

export function createApiChat(api: Api, place: ChatPlace): TerminalChat {
  let told: Told = { connection: '', texts: 0 }
  let offered = '' // the connection whose tools were shown already
  const follow = async function* (
    first: ConnectionView | null,
    goesOn: (view: ConnectionView) => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    for (let view = first; view; ) {
      const { connection, said } = view
      for (let texts = told.connection === connection ? told.texts : 0; texts < said.length; ) {
        yield said[texts] ?? ''
        texts += 1
        told = { connection, texts } // after the yield: a text that was not shown is sent again
      }
      if (view.phase === 'connected' && offered !== connection) {
        offered = connection
        yield* offerTools(api, view, signal)
      }
      if (!goesOn(view) || signal.aborted) return
      view = await nextView(api, view, signal)
    }
  }
  const message = (text: string) => (place.input.isTTY ? { text, isTyped: true } : { text })
  return {
    ...place,
    async answer(text, signal): Promise<ChatAnswer> {
      const { reply, wasSecret, connection } = await api.call('chat.send', message(text), signal)
      if (connection) told = { connection: connection.connection, texts: connection.said.length } // part of the reply
      return { texts: sayAll(reply, follow(connection, isAtWork, signal)), wasSecret }
    },
    async *news(signal) {
      const { connection } = await api.call('connect.view', {}, signal)
      // A connection that ended earlier was reported elsewhere, or to a listener who has left.
      if (connection && (told.connection === connection.connection || !hasEnded(connection)))
        yield* follow(connection, (view) => !hasEnded(view), signal)
    },
    async secretWanted() {
      const { connection } = await api.call('connect.view', {})
      const { question } = connection ?? {}
      if (!connection || !question?.isSecret || question.device || question.authorize)
        return undefined
      return `${connection.title} ${question.title}`
    },
    apologise: (error) =>
      error instanceof CordonError ? `${error.message}. ${error.hint}.` : 'Something broke.',
  }
}

/** How many messages of a connection are on the screen already. */
interface Told {
  readonly connection: string
  readonly texts: number
}

/** The claims of a new server's tools, if a yes would spare questions; the owner answers with a message. */
async function* offerTools(
  api: Api,
  { service }: ConnectionView,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const proposal = await api.call('tools.proposal', { server: service }, signal)
  if (isOffered(proposal)) yield offerOf(proposal)
}

/** The reply, then the messages of the connection until it waits for the person again. */
async function* sayAll(reply: string, later: AsyncIterable<string>): AsyncGenerator<string> {
  if (reply) yield reply
  yield* later
}

function isAtWork({ phase }: ConnectionView): boolean {
  return AT_WORK.has(phase)
}

function hasEnded({ phase }: ConnectionView): boolean {
  return ENDED.has(phase)
}
