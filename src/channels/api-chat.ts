/** A terminal chat over the API: messages go in, and what a setup flow says while it works comes out as it happens. */
import type { Api } from '../kernel/api.ts'
import { CordonError } from '../kernel/error.ts'
import type { FlowView } from '../kernel/setup-port.ts'
import type { ChatAnswer, TerminalChat } from './terminal-chat.ts'

const AT_WORK: ReadonlySet<FlowView['phase']> = new Set(['installing', 'connecting', 'verifying'])

export function createApiChat(
  api: Api,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): TerminalChat {
  return {
    input,
    output,
    async answer(text, signal): Promise<ChatAnswer> {
      const { reply, wasSecret, flow } = await api.call('chat.send', { text }, signal)
      return { texts: sayAll(api, reply, flow, signal), wasSecret }
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

/** The reply, and then whatever a flow says until it waits for the person again. */
async function* sayAll(
  api: Api,
  reply: string,
  flow: FlowView | null,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (reply) yield reply
  let told = flow?.said.length ?? 0
  for (let view = flow; view && AT_WORK.has(view.phase); ) {
    view = await api.call('connect.follow', { flow: view.flow, after: view.version }, signal)
    yield* view.said.slice(told)
    told = view.said.length
  }
}
