/**
 * Asks a model one question over OpenAI's chat completions API. Never offers the model any tools, so it can only
 * produce text. The answer is bounded in size and time, and untrusted.
 */
import { callFailed, type FailedCall, failureOfStatus } from '../kernel/call-failure.ts'
import type { Json } from '../text/json.ts'
import type { ModelAnswer, ModelQuestion } from '../kernel/model-port.ts'
import { readAtMost } from '../text/read-at-most.ts'
import type { ModelProfile } from './model-profiles.ts'

interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** An answer with its token usage. */
export type CountedAnswer =
  | (Extract<ModelAnswer, { readonly kind: 'said' }> & { readonly usage: Usage })
  | FailedCall

const MAX_ANSWER_BYTES = 4 * 2 ** 20

export async function completeChat(
  fetch: typeof globalThis.fetch,
  profile: ModelProfile,
  question: ModelQuestion,
  { key, signal }: { readonly key: string | undefined; readonly signal: AbortSignal },
): Promise<CountedAnswer> {
  const response = await fetch(endpointOf(profile), {
    method: 'POST',
    redirect: 'error',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(bodyOf(profile, question)),
    signal,
  })
  if (!response.ok) {
    await response.body?.cancel()
    return failureIn(response)
  }
  const answer = await readAtMost(response.body, MAX_ANSWER_BYTES)
  if (answer === undefined) return unreadable('The answer of the model is too large')
  return answerFrom(answer.toString())
}

function endpointOf({ url }: ModelProfile): URL {
  return new URL(`${url.pathname.replace(/\/+$/, '')}/chat/completions`, url)
}

function bodyOf(profile: ModelProfile, { system, text, schema, temperature }: ModelQuestion): Json {
  const format = schema && { type: 'json_schema', json_schema: { name: 'answer', schema } }
  return {
    model: profile.model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: text },
    ],
    [limitName(profile)]: profile.maxOutputTokens,
    stream: false,
    ...(temperature !== undefined && { temperature }),
    ...(format && { response_format: format }),
  }
}

/** OpenAI renamed the parameter; other servers only know the old name. */
function limitName({ url }: ModelProfile): string {
  return url.hostname === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens'
}

/** Never quotes the body of the response: some servers repeat the key in it. */
function failureIn({ status, headers }: Response): FailedCall {
  const wait = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '')?.[0]
  return {
    ...callFailed(failureOfStatus(status), `The server answered with HTTP status ${status}`),
    ...(wait !== undefined && { retryAfterSeconds: Number(wait) }),
  }
}

function answerFrom(text: string): CountedAnswer {
  const answer = parseJson(text)
  const choice = at(at(answer, 'choices'), 0)
  const said = at(at(choice, 'message'), 'content')
  if (typeof said !== 'string') return unreadable('The model answered in a form that is not known')
  if (at(choice, 'finish_reason') === 'length') {
    const hint = 'Raise max_output_tokens in config.toml'
    return callFailed('call.unreadable', 'The answer of the model was cut off', hint)
  }
  return { kind: 'said', text: said, usage: usageOf(at(answer, 'usage')) }
}

function usageOf(usage: unknown): Usage {
  const count = (name: string): number => {
    const tokens = at(usage, name)
    return typeof tokens === 'number' && tokens >= 0 ? tokens : 0
  }
  return { inputTokens: count('prompt_tokens'), outputTokens: count('completion_tokens') }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function at(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string | number, unknown>>)[name]
}

function unreadable(reason: string): FailedCall {
  return callFailed('call.unreadable', reason)
}
