/** OpenAI's Chat Completions as a stream, answered by a function in place of a socket. */
import assert from 'node:assert/strict'
import type { Prompt } from './chat-model.ts'

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly response_format?: { readonly json_schema?: { readonly schema?: PlanLike } }
}

interface PlanLike {
  readonly properties?: Readonly<Record<string, unknown>>
}

export const MODEL_URL = 'http://127.0.0.1:9/v1'

export function scriptedFetch(answer: (prompt: Prompt) => string): typeof globalThis.fetch {
  return async (_url, init) => {
    const { messages, response_format: format } = readRequest(init?.body)
    const by = (wanted: string): string =>
      messages.flatMap(({ role, content }) => (role === wanted ? [content] : [])).join('\n')
    const text = answer({
      system: by('system'),
      text: by('user'),
      isPlan: format?.json_schema?.schema?.properties?.['plan'] !== undefined,
      isRepeated: messages.some(({ role }) => role === 'assistant'),
    })
    const body = [chunk({ role: 'assistant', content: text }, null), chunk({}, 'stop'), END]
    return new Response(body.join(''), { headers: { 'content-type': 'text/event-stream' } })
  }
}

function readRequest(body: unknown): ChatRequest {
  assert.ok(typeof body === 'string', 'a question is sent as text')
  return JSON.parse(body) as ChatRequest
}

const END = 'data: [DONE]\n\n'

function chunk(delta: object, finish: string | null): string {
  const fields = { id: '1', object: 'chat.completion.chunk', created: 0, model: 'oracle' }
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ ...fields, choices })}\n\n`
}
