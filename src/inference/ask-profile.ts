/**
 * Asks one profile one question: leases its key for it, bounds its time, waits once where the provider says so for a
 * short while, and sends an answer that does not fit its schema back once. Knows nothing of other profiles.
 */
import { setTimeout } from 'node:timers/promises'
import { callFailed, type FailedCall } from '../kernel/call-failure.ts'
import { CordonError } from '../kernel/error.ts'
import type { ModelAnswer, ModelQuestion, ModelUsage } from '../ports/model-port.ts'
import type { Vault } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { showSecretRef } from '../kernel/secret-ref.ts'
import type { Problem } from '../text/problem.ts'
import { askProvider, type ProviderAnswer, type Turn } from './ask-provider.ts'
import { hideKey, hideKeyInPieces } from './hide-key.ts'
import type { ModelProfile } from './model-profiles.ts'
import { costOf } from './prices.ts'
import { readValue } from './read-value.ts'

export interface AskDeps {
  readonly fetch: typeof globalThis.fetch
  readonly vault: Pick<Vault, 'lease'>
  readonly owner: PrincipalId
  /** Called for each answer of the provider, also for one that does not fit. */
  readonly count: (usage: ModelUsage) => Promise<void>
}

/** Longer waits are the caller's to decide. */
const LONGEST_WAIT_SECONDS = 5

/** Throws only if the caller aborted; any other error becomes the result. */
export async function askProfile(
  deps: AskDeps,
  profile: ModelProfile,
  question: ModelQuestion,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const clock = AbortSignal.timeout(profile.timeoutMs)
  const either = AbortSignal.any([signal, clock])
  try {
    if (!profile.key) return await converse(deps, { profile, question, key: undefined }, either)
    await using lease = await deps.vault.lease(deps.owner, { key: profile.key }, either)
    const key = lease.value('key').toString('utf8')
    return await converse(deps, { profile, question, key }, either)
  } catch (error) {
    return failureFrom(error, { signal, clock, profile })
  }
}

interface Asked {
  readonly profile: ModelProfile
  readonly question: ModelQuestion
  readonly key: string | undefined
}

async function converse(deps: AskDeps, asked: Asked, signal: AbortSignal): Promise<ModelAnswer> {
  const { question } = asked
  const began = performance.now()
  const turns: Turn[] = [{ role: 'user', text: question.text }]
  const first = await speak(deps, asked, turns, signal)
  if (first.kind === 'failed') return first
  const usage = usageOf(asked.profile, first, began)
  if (!question.schema) return { kind: 'said', text: first.text, usage }
  const reading = readValue(first.text, question)
  if (reading.kind === 'value')
    return { kind: 'said', text: first.text, value: reading.value, usage }
  const again: Turn = {
    role: 'user',
    text: `That does not fit: ${reading.problem}. Answer again, with one JSON value that fits and nothing else.`,
  }
  const repaired = [...turns, { role: 'assistant' as const, text: first.text }, again]
  const second = await speak(deps, asked, repaired, signal)
  if (second.kind === 'failed') return second
  const last = readValue(second.text, question)
  if (last.kind === 'misfit') return unfit(last.problem)
  const sum = {
    inputTokens: first.inputTokens + second.inputTokens,
    outputTokens: first.outputTokens + second.outputTokens,
  }
  const total = usageOf(asked.profile, sum, began)
  return { kind: 'said', text: second.text, value: last.value, usage: total }
}

/** One request, or two if the provider asks to be asked again in a moment. */
async function speak(
  deps: AskDeps,
  { profile, question, key }: Asked,
  turns: readonly Turn[],
  signal: AbortSignal,
): Promise<ProviderAnswer | FailedCall> {
  const { system, schema, temperature, onPiece } = question
  const pieces = onPiece && hideKeyInPieces(key, onPiece)
  const asked = {
    system,
    turns,
    ...(schema && { schema }),
    ...(temperature !== undefined && { temperature }),
    ...(pieces && { onPiece: (piece: string) => pieces.push(piece) }),
  }
  const began = performance.now()
  const ask = (): Promise<ProviderAnswer | FailedCall> =>
    askProvider(profile, asked, { fetch: deps.fetch, key, signal })
  let answer = await ask()
  const wait = answer.kind === 'failed' ? answer.retryAfterSeconds : undefined
  if (wait !== undefined && wait <= LONGEST_WAIT_SECONDS) {
    await setTimeout(wait * 1000, undefined, { signal })
    answer = await ask()
  }
  if (answer.kind === 'failed') return answer
  pieces?.end()
  await deps.count(usageOf(profile, answer, began))
  return { ...answer, text: hideKey(answer.text, key) }
}

function usageOf(
  { name, model, price }: ModelProfile,
  { inputTokens, outputTokens }: Pick<ProviderAnswer, 'inputTokens' | 'outputTokens'>,
  began: number,
): ModelUsage {
  const cost = costOf(price, { inputTokens, outputTokens })
  return {
    profile: name,
    model,
    inputTokens,
    outputTokens,
    ...(cost !== undefined && { cost }),
    ms: Math.round(performance.now() - began),
  }
}

function unfit(problem: string): FailedCall {
  const hint = 'Ask for less at once, or use another model'
  return callFailed(
    'call.unreadable',
    `The answer of the model does not fit, twice: ${problem}`,
    hint,
  )
}

function failureFrom(
  error: unknown,
  { signal, clock, profile }: { signal: AbortSignal; clock: AbortSignal; profile: ModelProfile },
): FailedCall {
  signal.throwIfAborted()
  if (clock.aborted) {
    return callFailed(
      'call.timeout',
      `The model did not answer within ${profile.timeoutMs / 1000} s`,
    )
  }
  if (!(error instanceof CordonError)) {
    return callFailed('call.unreachable', `Cannot reach the model at ${profile.url.hostname}`)
  }
  if (error.code === 'egress.unreachable' && profile.isLocal) return notRunning(profile)
  const isKey = error.code.startsWith('vault.') && profile.key
  if (!isKey) return failureOf(error)
  const { code, message, hint } = error
  return failureOf({ code, message: `${message} (${showSecretRef(isKey)})`, hint })
}

function notRunning({ url }: ModelProfile): FailedCall {
  const hint = `Start the program that serves it at ${url.host}, then try again`
  return callFailed('call.unreachable', `Nothing answers at ${url.host}`, hint)
}

/** A problem as the result of a call. */
export function failureOf({ code, message, hint }: Problem): FailedCall {
  return { kind: 'failed', code, reason: message, hint }
}
