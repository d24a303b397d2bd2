/** A terminal chat over the API: messages go in, and what a setup flow says while it works comes out as it happens. */
import type { Api } from '../api/contract.ts'
import { CordonError } from '../kernel/error.ts'
import type { FlowView } from '../kernel/setup-port.ts'
import type { ChatAnswer, TerminalChat } from './terminal-chat.ts'

const ENDED: ReadonlySet<FlowView['phase']> = new Set(['connected', 'failed', 'cancelled'])
const AT_WORK: ReadonlySet<FlowView['phase']> = new Set(['installing', 'connecting', 'verifying'])

export function createApiChat(
  api: Api,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): TerminalChat {
  let told: Told = { flow: '', texts: 0 }
  const follow = async function* (
    first: FlowView | null,
    goesOn: (view: FlowView) => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    for (let view = first; view; ) {
      yield* view.said.slice(told.flow === view.flow ? told.texts : 0)
      told = { flow: view.flow, texts: view.said.length }
      if (!goesOn(view)) return
      view = await api.call('connect.follow', { flow: view.flow, after: view.version }, signal)
    }
  }
  return {
    input,
    output,
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
