/**
 * The owner's models, asked one question at a time. Each model is reached at its own host and nowhere else, with a key
 * that is leased for that one question. Knows nothing of labels: the one door decides what a model may be shown.
 */
import { createHash } from 'node:crypto'
import { callFailed, type FailedCall } from '../kernel/call-failure.ts'
import type { Egress } from '../kernel/egress-port.ts'
import { CordonError } from '../kernel/error.ts'
import { canonicalJson } from '../text/json.ts'
import { LEVELS, type Level } from '../labels/label.ts'
import type { ModelQuestion, Models } from '../kernel/model-port.ts'
import type { Log, Vault } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { showSecretRef } from '../kernel/secret-ref.ts'
import { completeChat, type CountedAnswer } from './complete-chat.ts'
import type { ModelProfile } from './model-profiles.ts'

export interface OwnedModels extends Models {
  /** Why the profile cannot be asked; undefined if it can. */
  problem(profile?: string): Problem | undefined
}

export interface ModelDeps {
  readonly profiles: ReadonlyMap<string, ModelProfile>
  readonly createFetch: Egress['createFetch']
  readonly vault: Pick<Vault, 'lease'>
  readonly owner: PrincipalId
  readonly log: Log
}

const SHORTEST_KEY = 8
const DEFAULT = 'default'

type Fetch = typeof globalThis.fetch

export function openModels(deps: ModelDeps): OwnedModels {
  const { profiles, log } = deps
  const all = [...profiles.values()]
  const fetches = new Map<string, Fetch>()
  const fetchFor = (profile: ModelProfile): Fetch => {
    const fetch = fetches.get(profile.name) ?? fetchOnly(deps, profile)
    fetches.set(profile.name, fetch)
    return fetch
  }
  const problem = (name?: string): Problem | undefined => problemOf(profiles, name)
  return {
    clearance: lowest(all.map(({ clearance }) => clearance)),
    isLocal: all.length > 0 && all.every(({ isLocal }) => isLocal),
    pin: pinOf(all),
    problem,
    async ask(question, signal) {
      const profile = profiles.get(question.profile ?? DEFAULT)
      if (!profile) return failureOf(noProfile(profiles, question.profile))
      const ask = { profile, question, fetchFor }
      const answer = await askOnce(deps, ask, signal)
      if (answer.kind === 'said') {
        log.info('A model answered', { profile: profile.name, ...answer.usage })
      }
      return answer
    },
  }
}

type Profiles = ReadonlyMap<string, ModelProfile>

function problemOf(profiles: Profiles, name: string = DEFAULT): Problem | undefined {
  return profiles.has(name) ? undefined : noProfile(profiles, name)
}

function noProfile(profiles: Profiles, name: string = DEFAULT): Problem {
  const table = /^[a-z0-9_-]{1,63}$/.test(name) ? name : DEFAULT
  return {
    code: 'inference.no-model',
    message:
      profiles.size === 0
        ? 'No model is set up'
        : `There is no model profile ${JSON.stringify(name)}`,
    hint: `Add [models.${table}] to config.toml as docs/flows.md shows`,
  }
}

/** A problem as the result of a call. */
export function failureOf({ code, message, hint }: Problem): FailedCall {
  return { kind: 'failed', code, reason: message, hint }
}

/** Reaches the profile's own host, and no other. */
function fetchOnly(deps: ModelDeps, { url, isLocal }: ModelProfile): Fetch {
  return deps.createFetch({
    allowedDomains: [url.hostname],
    ...(isLocal && { dangerouslyAllowHttp: true }),
  })
}

interface Ask {
  readonly profile: ModelProfile
  readonly question: ModelQuestion
  readonly fetchFor: (profile: ModelProfile) => Fetch
}

async function askOnce(
  deps: ModelDeps,
  { profile, question, fetchFor }: Ask,
  signal: AbortSignal,
): Promise<CountedAnswer> {
  const { timeoutMs, key } = profile
  const clock = AbortSignal.timeout(timeoutMs)
  const either = AbortSignal.any([signal, clock])
  const ask = (lent?: string): Promise<CountedAnswer> =>
    completeChat(fetchFor(profile), profile, question, { key: lent, signal: either })
  try {
    if (!key) return await ask()
    await using lease = await deps.vault.lease(deps.owner, { key }, either)
    const lent = lease.value('key').toString('utf8')
    return withoutKey(await ask(lent), lent)
  } catch (error) {
    return failureFrom(error, { signal, clock, profile })
  }
}

/** Redacts the key, since some models repeat it. Below `SHORTEST_KEY` it is left: it could be an ordinary word. */
function withoutKey(answer: CountedAnswer, key: string): CountedAnswer {
  if (answer.kind !== 'said' || key.length < SHORTEST_KEY) return answer
  return { ...answer, text: answer.text.replaceAll(key, '[redacted]') }
}

/** Throws only if the caller aborted; any other error becomes the result. */
function failureFrom(
  error: unknown,
  { signal, clock, profile }: { signal: AbortSignal; clock: AbortSignal; profile: ModelProfile },
): FailedCall {
  signal.throwIfAborted()
  if (clock.aborted) {
    return callFailed('call.timeout', `Tool call timed out after ${profile.timeoutMs / 1000} s`)
  }
  if (!(error instanceof CordonError)) {
    return callFailed('call.unreachable', `Cannot reach the model at ${profile.url.hostname}`)
  }
  const isKey = error.code.startsWith('vault.') && profile.key
  if (!isKey) return failureOf(error)
  const { code, message, hint } = error
  return failureOf({ code, message: `${message} (${showSecretRef(isKey)})`, hint })
}

function lowest(levels: readonly Level[]): Level {
  return LEVELS.find((level) => levels.includes(level)) ?? 'internal'
}

function pinOf(profiles: readonly ModelProfile[]): string {
  const told = profiles.map(({ name, url, model, isLocal, clearance }) => [
    name,
    url.href,
    model,
    isLocal,
    clearance,
  ])
  const text = canonicalJson(told.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
  return createHash('sha256').update(text).digest('hex')
}
