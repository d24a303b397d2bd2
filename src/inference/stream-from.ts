/**
 * The providers of the AI SDK, the only file that knows them. Loaded at the first question: a kernel that asks no model
 * does not pay for them. Each request brings its fetch and its key, so that none looks for a key in the environment.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { AnthropicProvider } from '@ai-sdk/anthropic'
import type { ModelProfile } from './model-profiles.ts'

/** A prompt in, a stream of parts out. */
export type LanguageModel = ReturnType<AnthropicProvider>
export type StreamPart =
  Awaited<ReturnType<LanguageModel['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never

/** Names the options of the OpenAI provider; sent to nobody. */
const NAME = 'model'
/** Without a key the Anthropic provider would look into the environment; a local server ignores this one. */
const NO_KEY = 'none'

type Fetch = typeof globalThis.fetch
type Streaming = Parameters<LanguageModel['doStream']>[0]

interface Request {
  readonly fetch: Fetch
  readonly key: string | undefined
}

/** A model is kept as long as its profile, since the SDK builds its schemas with each: it holds no key, and no request. */
const kept = new WeakMap<ModelProfile, Promise<LanguageModel>>()
/** The fetch of the request that is being made. */
const requests = new AsyncLocalStorage<Fetch>()

export async function streamFrom(
  profile: ModelProfile,
  options: Streaming,
  { fetch, key }: Request,
): Promise<ReadableStream<StreamPart>> {
  const loading = kept.get(profile) ?? loadModel(profile)
  kept.set(profile, loading)
  const model = await loading
  const headers = keyHeader(profile, key)
  const { stream } = await requests.run(fetch, () => model.doStream({ ...options, headers }))
  return stream
}

const fetchOfRequest: Fetch = (input, init) => {
  const fetch = requests.getStore()
  if (!fetch) throw new Error('A model was asked outside of a request')
  return fetch(input, init)
}

function keyHeader({ provider }: ModelProfile, key: string | undefined): Record<string, string> {
  if (key === undefined) return {}
  return provider === 'anthropic' ? { 'x-api-key': key } : { Authorization: `Bearer ${key}` }
}

async function loadModel({ url, model, provider }: ModelProfile): Promise<LanguageModel> {
  const baseURL = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  const fetch = fetchOfRequest
  if (provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ baseURL, fetch, apiKey: NO_KEY })(model)
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  return createOpenAICompatible({
    name: NAME,
    baseURL,
    fetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(url.hostname === 'api.openai.com' && { transformRequestBody: renameLimit }),
  })(model)
}

/** Strict mode takes only schemas whose every field is required; the answer is checked here anyway. */
export const PROVIDER_OPTIONS: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  [NAME]: { strictJsonSchema: false },
}

/** OpenAI renamed the parameter; other servers only know the old name. */
function renameLimit({
  max_tokens: limit,
  ...body
}: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...body, max_completion_tokens: limit }
}
