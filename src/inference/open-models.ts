/**
 * The owner's models, asked one question at a time. Each is reached at its own host and nowhere else, with a key that is
 * lent for that one question. It knows nothing of labels: what may be shown to a model is decided at the one door.
 */
import { createHash } from 'node:crypto'
import type { Egress } from '../kernel/egress-port.ts'
import { CordonError } from '../kernel/error.ts'
import { canonicalJson } from '../kernel/json.ts'
import { LEVELS, type Level } from '../kernel/label.ts'
import type { ModelQuestion, Models } from '../kernel/model-port.ts'
import type { Log, Vault } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { showSecretRef } from '../kernel/secret-ref.ts'
import { completeChat, type CountedAnswer } from './chat-completion.ts'
import type { ModelProfile } from './model-profiles.ts'

export interface OwnedModels extends Models {
  /** Why no model can be asked, as a sentence. */
  problem(profile?: string): string | undefined
}

export interface ModelRooms {
  readonly profiles: ReadonlyMap<string, ModelProfile>
  readonly createFetch: Egress['createFetch']
  readonly vault: Pick<Vault, 'lease'>
  readonly owner: PrincipalId
  readonly log: Log
}

const SHORTEST_KEY = 8

type Fetch = typeof globalThis.fetch

export function openModels(rooms: ModelRooms): OwnedModels {
  const { profiles, log } = rooms
  const all = [...profiles.values()]
  const fetches = new Map<string, Fetch>()
  const fetchFor = (profile: ModelProfile): Fetch => {
    const fetch = fetches.get(profile.name) ?? fetchOnly(rooms, profile)
    fetches.set(profile.name, fetch)
    return fetch
  }
  const problem = (name = 'default'): string | undefined => problemOf(profiles, name)
  return {
    clearance: lowest(all.map(({ clearance }) => clearance)),
    isLocal: all.length > 0 && all.every(({ isLocal }) => isLocal),
    pin: pinOf(all),
    problem,
    async ask(question, signal) {
      const profile = profiles.get(question.profile ?? 'default')
      if (!profile) return { kind: 'failed', reason: problem(question.profile) ?? '' }
      const ask = { profile, question, fetchFor }
      const answer = await askOnce(rooms, ask, signal)
      if (answer.kind === 'said') {
        log.info('A model answered', { profile: profile.name, ...answer.usage })
      }
      return answer
    },
  }
}

function problemOf(profiles: ReadonlyMap<string, ModelProfile>, name: string): string | undefined {
  if (profiles.has(name)) return undefined
  const what =
    profiles.size === 0 ? 'No model is set up' : `There is no model profile ${JSON.stringify(name)}`
  return `${what}. Add [models.${/^[a-z0-9_-]{1,63}$/.test(name) ? name : 'default'}] to config.toml; see docs/flows.md`
}

/** It reaches the profile's own host, and no other. */
function fetchOnly(rooms: ModelRooms, { url, isLocal }: ModelProfile): Fetch {
  return rooms.createFetch({
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
  rooms: ModelRooms,
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
    await using lease = await rooms.vault.lease(rooms.owner, { key }, either)
    const lent = lease.value('key').toString('utf8')
    return withoutKey(await ask(lent), lent)
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error, { signal, clock, profile }) }
  }
}

/** Some that are asked repeat what they were sent. What is shorter is an ordinary word. */
function withoutKey(answer: CountedAnswer, key: string): CountedAnswer {
  if (answer.kind !== 'said' || key.length < SHORTEST_KEY) return answer
  return { ...answer, text: answer.text.replaceAll(key, '[redacted]') }
}

/** Throws what the caller wanted, and what is nobody's fault but ours. */
function reasonOf(
  error: unknown,
  { signal, clock, profile }: { signal: AbortSignal; clock: AbortSignal; profile: ModelProfile },
): string {
  signal.throwIfAborted()
  if (clock.aborted) return `Tool call timed out after ${profile.timeoutMs / 1000} s`
  if (!(error instanceof CordonError)) return `Cannot reach the model at ${profile.url.hostname}`
  const isKey = error.code.startsWith('vault.') && profile.key
  return isKey ? `${error.message} (${showSecretRef(isKey)}). ${error.hint}` : error.message
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
