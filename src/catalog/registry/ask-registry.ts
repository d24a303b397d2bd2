/**
 * One question to a registry: from the cache while fresh, else over the network, else from the cache up to 30 days old.
 * Bounded in time and size; every failure becomes a `RegistryProblem` of one short phrase.
 */
import type { AnswerCache } from './answer-cache.ts'
import { readAtMost } from '../../text/read-at-most.ts'
import { RegistryProblem, statusProblem } from './registry-problem.ts'

const FRESH_MS = 60 * 60_000
const STALE_MS = 30 * 24 * FRESH_MS
const MAX_BYTES = 2 * 1024 * 1024

export interface Question {
  readonly url: string
  /** Called only if a request is made. */
  readonly headers?: () => Promise<Readonly<Record<string, string>>>
  /** Whether the value is a valid answer. An invalid one is not cached, and does not replace a cached one. */
  readonly isAnswer: (value: unknown) => boolean
}

export interface Answer {
  readonly value: unknown
  /** Only for an outdated answer: its age, and the reason why there is no newer one. */
  readonly stale?: { readonly ageMs: number; readonly problem: string }
}

export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>

interface AskOptions {
  readonly fetch: typeof globalThis.fetch
  readonly cache: AnswerCache
  readonly now: () => number
}

export function createAsk({ fetch, cache, now }: AskOptions): Ask {
  return async (question, signal) => {
    const kept = await cache.read(question.url)
    const ageMs = kept ? now() - kept.at : Infinity
    // An answer from the future means that the clock was set back; the registry is asked again.
    if (kept && ageMs >= 0 && ageMs < FRESH_MS) return { value: kept.value }
    try {
      const json = await download(fetch, question, signal)
      const value = parse(json)
      if (!question.isAnswer(value)) throw new RegistryProblem('answered with nonsense')
      await cache.write(question.url, now(), json)
      return { value }
    } catch (error) {
      const problem = problemOf(error, signal)
      if (!kept || ageMs >= STALE_MS) throw problem
      return { value: kept.value, stale: { ageMs, problem: problem.message } }
    }
  }
}

async function download(
  fetch: typeof globalThis.fetch,
  { url, headers }: Question,
  signal: AbortSignal,
): Promise<string> {
  const extra = await headers?.()
  signal.throwIfAborted()
  const response = await fetch(url, { headers: { accept: 'application/json', ...extra }, signal })
  if (!response.ok) {
    await response.body?.cancel()
    throw statusProblem(response.status, response.headers.get('retry-after'))
  }
  const body = await readAtMost(response.body, MAX_BYTES)
  if (body === undefined) throw new RegistryProblem('answered with more than 2 MB')
  return body.toString()
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw new RegistryProblem('answered with nonsense', { cause })
  }
}

function problemOf(cause: unknown, signal: AbortSignal): RegistryProblem {
  if (cause instanceof RegistryProblem) return cause
  const problem = signal.aborted ? 'did not answer in time' : 'could not be reached'
  return new RegistryProblem(problem, { cause })
}
