/**
 * A model server on loopback that takes 200 ms for an answer, and measures how long each request was with it: from its
 * arrival until the last byte of the answer is written. Looks for words of several conversations in one prompt.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { RecordedPrompt } from '../../test/fixtures/model-servers/scripted-answer.ts'
import { startModelServer } from '../../test/fixtures/model-servers/start-model-server.ts'

const ANSWER_MS = 200

/** `chat7-3`: the third message of a conversation. */
export const MARK: RegExp = /\b(chat\d+|alone)-\d+\b/g

export interface Crossing {
  readonly chat: string
  readonly what: string
}

export interface TimedModel extends AsyncDisposable {
  /** The base URL as a profile names it. */
  readonly url: string
  /** How long the model worked for the message with this mark, in all its answers. */
  workedMs(mark: string): number
  /** Prompts that hold marks of more than one conversation. */
  readonly crossings: readonly Crossing[]
}

export async function startTimedModel(): Promise<TimedModel> {
  await using stack = new AsyncDisposableStack()
  const worked = new Map<string, number>()
  const crossings: Crossing[] = []
  /** The request that is answered, with the mark of its message once the prompt was read. */
  const asked = new AsyncLocalStorage<{ mark: string }>()
  const model = stack.use(
    await startModelServer({
      wire: 'openai',
      async answers(prompt) {
        await delay(ANSWER_MS)
        const mark = lastSaid(prompt)
        const request = asked.getStore()
        if (request) request.mark = mark
        const [chat = ''] = mark.split('-')
        const others = (prompt.body.match(MARK) ?? []).filter((one) => !one.startsWith(`${chat}-`))
        if (others.length > 0) crossings.push({ chat, what: `a prompt with ${others.join(' ')}` })
        return answerTo(prompt, mark)
      },
    }),
  )
  const server = createServer((request, response) => {
    const began = performance.now()
    const one = { mark: '' }
    response.once('finish', () => {
      worked.set(one.mark, (worked.get(one.mark) ?? 0) + performance.now() - began)
    })
    asked.run(one, () => model.answer(request, response))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const owned = stack.move()
  return {
    url: `http://127.0.0.1:${port}/v1`,
    workedMs: (mark) => worked.get(mark) ?? 0,
    crossings,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** The mark in the owner's last message, which stands behind "The owner says:". */
function lastSaid({ text }: RecordedPrompt): string {
  return text.split('The owner says:').at(-1)?.match(MARK)?.[0] ?? ''
}

/** The plan that the message asks for, or an answer that repeats the result. */
function answerTo({ schema, text }: RecordedPrompt, mark: string): string {
  if (schema === undefined) return `Here it is: ${text.split('Result of').at(-1) ?? ''}`
  const number = /add (\d+)/.exec(text.split('The owner says:').at(-1) ?? '')?.[1]
  const step =
    number === undefined
      ? { tool: 'echo.echo', args: { text: mark } }
      : { tool: 'echo.sum', args: { a: 0, b: Number(number) } }
  return JSON.stringify({ plan: [step] })
}
