/**
 * Asks a provider once, as a stream. Never offers the model a tool to act with, so it can only produce text. The answer
 * is bounded in size, the caller's signal bounds its time, and whatever is not an answer becomes one honest sentence.
 * Never quotes what a provider says about a failure: some repeat the key or the prompt in it.
 */
import { callFailed, type FailedCall } from '../kernel/call-failure.ts'
import type { ModelQuestion } from '../ports/model-port.ts'
import { type LanguageModel, PROVIDER_OPTIONS, type StreamPart, streamFrom } from './stream-from.ts'
import type { ModelProfile } from './model-profiles.ts'
import {
  BROKE_OFF,
  failureOfAnswer,
  TOO_LARGE,
  type WatchedFetch,
  watchFetch,
} from './watch-fetch.ts'
import { estimateTokens } from '../text/estimate-tokens.ts'

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

export interface ProviderQuestion extends Pick<ModelQuestion, 'system' | 'schema' | 'temperature'> {
  readonly turns: readonly Turn[]
  readonly onPiece?: (text: string) => void
}

export interface ProviderAnswer {
  readonly kind: 'said'
  readonly text: string
  readonly inputTokens: number
  readonly outputTokens: number
}

interface Asking {
  readonly fetch: typeof globalThis.fetch
  readonly key: string | undefined
  readonly signal: AbortSignal
}

/** A token is seldom longer, and a model that says more does not keep to its limit. */
const MOST_BYTES_A_TOKEN = 32
const MOST_TEXT = 4 * 2 ** 20

/** Throws only what the guarded fetch, the vault or the signal throws. */
export async function askProvider(
  profile: ModelProfile,
  question: ProviderQuestion,
  { fetch, key, signal }: Asking,
): Promise<ProviderAnswer | FailedCall> {
  const wire = watchFetch(fetch)
  try {
    const request = requestOf(profile, question, signal)
    const stream = await streamFrom(profile, request, { fetch: wire.fetch, key })
    const heard = await readStream(stream, profile, question, signal)
    return heard.error === undefined ? answerOf(heard, question) : failureOf(heard.error, wire)
  } catch (error) {
    signal.throwIfAborted()
    return failureOf(error, wire)
  }
}

function requestOf(
  { maxOutputTokens }: ModelProfile,
  { system, turns, schema, temperature }: ProviderQuestion,
  abortSignal: AbortSignal,
): Parameters<LanguageModel['doStream']>[0] {
  return {
    prompt: [
      { role: 'system', content: system },
      ...turns.map(({ role, text }) => ({ role, content: [{ type: 'text' as const, text }] })),
    ],
    maxOutputTokens,
    abortSignal,
    providerOptions: PROVIDER_OPTIONS,
    ...(temperature !== undefined && { temperature }),
    ...(schema && { responseFormat: { type: 'json', name: 'answer', schema } }),
  }
}

interface Heard {
  text: string
  isTooLarge: boolean
  end?: Extract<StreamPart, { type: 'finish' }>
  error?: unknown
}

async function readStream(
  stream: ReadableStream<StreamPart>,
  { maxOutputTokens }: ModelProfile,
  { onPiece }: ProviderQuestion,
  signal: AbortSignal,
): Promise<Heard> {
  const most = Math.min(MOST_TEXT, maxOutputTokens * MOST_BYTES_A_TOKEN)
  const heard: Heard = { text: '', isTooLarge: false }
  for await (const part of untilAborted(stream, signal)) {
    if (part.type === 'error') return { ...heard, error: part.error ?? true }
    if (part.type === 'finish') heard.end = part
    if (part.type !== 'text-delta' || part.delta === '') continue
    heard.text += part.delta
    // Leaving the loop cancels the rest of the stream.
    if (heard.text.length > most) return { ...heard, isTooLarge: true }
    onPiece?.(part.delta)
  }
  return heard
}

/** Ends with the signal even if the stream does not: a read that is under way ends when the stream is cancelled. */
async function* untilAborted<T>(stream: ReadableStream<T>, signal: AbortSignal): AsyncGenerator<T> {
  const reader = stream.getReader()
  const leave = (): void => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', leave)
  try {
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await reader.read()
      if (!done) yield value
      else return signal.throwIfAborted()
    }
  } finally {
    signal.removeEventListener('abort', leave)
    leave()
  }
}

function answerOf(
  { text, end, isTooLarge }: Heard,
  { system, turns }: ProviderQuestion,
): ProviderAnswer | FailedCall {
  if (isTooLarge) return unreadable(TOO_LARGE)
  const failure = brokenOff(end?.finishReason.unified, text)
  if (failure) return failure
  const { inputTokens, outputTokens } = end?.usage ?? {}
  const asked = [system, ...turns.map((turn) => turn.text)].join('')
  return {
    kind: 'said',
    text,
    // A provider that counts nothing still uses up a budget.
    inputTokens: inputTokens?.total ?? estimateTokens(asked),
    outputTokens: outputTokens?.total ?? estimateTokens(text),
  }
}

/** Why the text is no answer; undefined if the model has said everything. */
function brokenOff(reason: string | undefined, text: string): FailedCall | undefined {
  switch (reason) {
    case 'stop':
    case 'tool-calls': // the form in which some models give an answer by a schema
      return text.trim() === '' ? unreadable('The model answered with nothing') : undefined
    case 'length': {
      const hint = 'Raise max_output_tokens in config.toml'
      return callFailed('call.unreadable', 'The answer of the model was cut off', hint)
    }
    case 'content-filter':
      return REFUSED
    default:
      return text === ''
        ? unreadable('The model answered in a form that is not known')
        : callFailed('call.lost', BROKE_OFF)
  }
}

/** An error in the first event of a stream has the status that the provider would have answered with. */
function failureOf(error: unknown, wire: WatchedFetch): FailedCall {
  if (wire.fault) return wire.fault
  if (wire.thrown !== undefined) throw wire.thrown
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error && error.statusCode
  return typeof status === 'number' && status >= 400
    ? failureOfAnswer(status)
    : unreadable('The model answered in a form that is not known')
}

const REFUSED: FailedCall = {
  kind: 'failed',
  code: 'inference.refused',
  reason: 'The model refuses to answer this',
  hint: 'Ask in other words, or use another model',
}

function unreadable(reason: string): FailedCall {
  return callFailed('call.unreadable', reason)
}
