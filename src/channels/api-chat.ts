/** A terminal chat over the API: messages go in, and what a setup flow says while it works comes out as it happens. */
import type { Api } from '../api/contract.ts'
import { CordonError } from '../kernel/error.ts'
import { nextView } from '../api/long-poll.ts'
import type { FlowView } from '../kernel/setup-port.ts'
import type { ChatPlace } from './chat-lines.ts'
import type { ChatAnswer, TerminalChat } from './terminal-chat.ts'

const ENDED: ReadonlySet<FlowView['phase']> = new Set(['connected', 'failed', 'cancelled'])
const AT_WORK: ReadonlySet<FlowView['phase']> = new Set(['installing', 'connecting', 'verifying'])

export function createApiChat(api: Api, place: ChatPlace): TerminalChat {
  let told: Told = { flow: '', texts: 0 }
  const follow = async function* (
    first: FlowView | null,
    goesOn: (view: FlowView) => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    for (let view = first; view; ) {
      const { flow, said } = view
      for (let texts = told.flow === flow ? told.texts : 0; texts < said.length; ) {
        yield said[texts] ?? ''
        texts += 1
        told = { flow, texts } // after the yield: a listener who left before it was shown is told again
      }
      if (!goesOn(view) || signal.aborted) return
      view = await nextView(api, view, signal)
    }
  }
  return {
    ...place,
    async answer(text, signal): Promise<ChatAnswer> {
      const { reply, wasSecret, flow } = await api.call('chat.send', { text }, signal)
      if (flow) told = { flow: flow.flow, texts: flow.said.length } // the reply says it
      return { texts: sayAll(reply, follow(flow, isAtWork, signal)), wasSecret }
    },
    async *news(signal) {
      const { flow } = await api.call('connect.view', {}, signal)
      // What ended before anybody asked here was told elsewhere, or to somebody who has left.
      if (flow && (told.flow === flow.flow || !hasEnded(flow)))
        yield* follow(flow, (view) => !hasEnded(view), signal)
    },
    async secretWanted() {
      const { flow } = await api.call('connect.view', {})
      const { question } = flow ?? {}
      if (!flow || !question?.isSecret || question.device || question.authorize) return undefined
      return `${flow.title} ${question.title}`
    },
    apologise: (error) =>
      error instanceof CordonError ? `${error.message}. ${error.hint}.` : 'Something broke.',
  }
}

/** How much of what a flow said is on the screen. */
interface Told {
  readonly flow: string
  readonly texts: number
}

/** The reply, and then whatever a flow says until it waits for the person again. */
async function* sayAll(reply: string, later: AsyncIterable<string>): AsyncGenerator<string> {
  if (reply) yield reply
  yield* later
}

function isAtWork({ phase }: FlowView): boolean {
  return AT_WORK.has(phase)
}

function hasEnded({ phase }: FlowView): boolean {
  return ENDED.has(phase)
}
