/**
 * The owner's models, from `[models.NAME]` in config.toml: the URL, the name of the model there, the secret that opens
 * it, and the highest level that it may read. A profile that cannot be parsed is refused, never guessed.
 */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import { type Level } from '../labels/label.ts'
import type { ModelBudget } from '../ports/model-port.ts'
import { parseSecretRef, type SecretRef } from '../kernel/secret-ref.ts'
import { priceOf, type Price } from './prices.ts'

export interface ModelProfile {
  readonly name: string
  /** Whose wire format it speaks. */
  readonly provider: 'anthropic' | 'openai'
  /** The base URL, to which `/chat/completions` or `/messages` is appended. */
  readonly url: URL
  readonly model: string
  readonly key?: SecretRef
  /** The model runs on this machine. */
  readonly isLocal: boolean
  readonly clearance: Level
  /** Profiles to ask when this one fails, in this order. */
  readonly fallback: readonly string[]
  /** Undefined: not known. */
  readonly price?: Price
  readonly budget: ModelBudget
  readonly maxOutputTokens: number
  readonly timeoutMs: number
}

export type Profiles = ReadonlyMap<string, ModelProfile>

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const ANTHROPIC = 'https://api.anthropic.com/v1'

const amount = z.number().min(0).max(1_000_000)

const PROFILE = z.strictObject({
  provider: z.enum(['anthropic', 'openai']).default('openai'),
  url: z
    .url({ protocol: /^https?$/, error: 'expected an address like "https://api.example.com/v1"' })
    .exactOptional(),
  model: z.string().min(1).max(200),
  key: z.string().exactOptional(),
  local: z.boolean().default(false),
  // No model is cleared for secrets, and only a local model for regulated data.
  clearance: z.enum(['public', 'internal', 'sensitive', 'regulated']).exactOptional(),
  owner_acknowledged_cloud_risk: z.boolean().default(false),
  fallback: z.array(z.string().max(63)).max(10).default([]),
  price_per_million: z.strictObject({ input: amount, output: amount }).exactOptional(),
  budget_per_day: z
    .strictObject({
      tokens: z.int().min(1).exactOptional(),
      cost: amount.exactOptional(),
      seconds: z.int().min(1).max(86_400).exactOptional(),
    })
    .default({}),
  max_output_tokens: z.int().min(1).max(1_000_000).default(4096),
  timeout_seconds: z.int().min(1).max(3600).default(120),
})
type Written = z.infer<typeof PROFILE>

export const PROFILE_NAME: RegExp = /^[a-z0-9][a-z0-9_-]{0,62}$/
export const DEFAULT = 'default'

/** Parses the table `models`; undefined means that there are no models. */
export function parseProfiles(table: unknown): Profiles {
  try {
    return readProfiles(table)
  } catch (error) {
    if (!(error instanceof ProfileMistake)) throw error
    throw new CordonError(
      'inference.bad-profile',
      { exit: 2, hint: 'Correct that place in config.toml; docs/models.md has an example' },
      `Cannot read ${error.place} in config.toml: ${error.problem}`,
    )
  }
}

/** Throws a `ProfileMistake`. */
export function readProfiles(table: unknown): Profiles {
  if (table === undefined) return new Map()
  const reading = z.record(z.string(), z.unknown()).safeParse(table)
  if (!reading.success)
    throw new ProfileMistake('models', 'expected a table such as [models.default]')
  const profiles = new Map(
    Object.entries(reading.data)
      .filter(([name, written]) => !isActiveKey(name, written))
      .map(([name, written]) => [name, profileFrom(name, written)]),
  )
  for (const { name, fallback } of profiles.values()) {
    const unknown = fallback.find((other) => !profiles.has(other))
    if (unknown === undefined) continue
    throw new ProfileMistake(
      `models.${name}.fallback`,
      `there is no profile ${JSON.stringify(unknown)}`,
    )
  }
  return profiles
}

/** The profile that is asked where none is named: `active` in `[models]`, else `default`, else the only one. */
export function parseActive(table: unknown, profiles: Profiles): string | undefined {
  const active = z.object({ active: z.string() }).safeParse(table)
  // A name that is gone is no reason to lose the other profiles: then none is active.
  if (active.success) return profiles.has(active.data.active) ? active.data.active : undefined
  if (profiles.has(DEFAULT)) return DEFAULT
  return profiles.size === 1 ? [...profiles.keys()][0] : undefined
}

/** `active = "NAME"` stands beside the profiles; a table of that name is a profile. */
function isActiveKey(name: string, written: unknown): boolean {
  return name === 'active' && typeof written === 'string'
}

function profileFrom(name: string, input: unknown): ModelProfile {
  const place = `models.${name}`
  const written = readWritten(name, input)
  const isLocal = written.local && !runsInTheCloud(written.model)
  const price = priceIn(place, written, isLocal)
  return {
    name,
    provider: written.provider,
    url: urlFrom(place, written),
    model: written.model,
    ...(written.key !== undefined && { key: parseSecretRef(written.key) }),
    isLocal,
    clearance: clearanceFrom(place, written, isLocal),
    fallback: written.fallback,
    ...(price && { price }),
    budget: written.budget_per_day,
    maxOutputTokens: written.max_output_tokens,
    timeoutMs: written.timeout_seconds * 1000,
  }
}

function readWritten(name: string, input: unknown): Written {
  if (!PROFILE_NAME.test(name)) {
    throw new ProfileMistake('models', `${JSON.stringify(name)} is no name of a model`)
  }
  const reading = PROFILE.safeParse(input)
  if (reading.success) return reading.data
  const [issue] = reading.error.issues
  const place = [`models.${name}`, ...(issue?.path ?? [])].join('.')
  throw new ProfileMistake(place, issue?.message ?? 'is malformed')
}

const FREE: Price = { input: 0, output: 0 }

/** A budget of costs needs a price: one that can never be spent would protect nobody. */
function priceIn(place: string, written: Written, isLocal: boolean): Price | undefined {
  const price = isLocal ? FREE : (written.price_per_million ?? priceOf(written.model))
  if (written.budget_per_day.cost === undefined || price) return price
  const problem = 'write price_per_million for this model too'
  throw new ProfileMistake(`${place}.budget_per_day.cost`, problem)
}

/** Ollama passes models of such names on to its own cloud, although its address is on this machine. */
function runsInTheCloud(model: string): boolean {
  return /[:-]cloud$/.test(model)
}

/** A loopback address needs `local = true`, and `local = true` needs a loopback address. */
function urlFrom(place: string, written: Written): URL {
  const { local } = written
  const url = new URL(addressFrom(place, written))
  const isHere = LOOPBACK.has(url.hostname)
  if (url.href !== `${url.origin}${url.pathname}`) {
    throw new ProfileMistake(`${place}.url`, 'expected no user name, query or fragment in it')
  }
  if (local && !isHere) throw new ProfileMistake(`${place}.url`, 'a local model is at 127.0.0.1')
  if (!local && isHere) {
    throw new ProfileMistake(`${place}.local`, 'write local = true for this machine')
  }
  if (!local && url.protocol !== 'https:') {
    throw new ProfileMistake(`${place}.url`, 'expected https')
  }
  return url
}

function addressFrom(place: string, { url, provider }: Written): string {
  if (url !== undefined) return url
  if (provider === 'anthropic') return ANTHROPIC
  throw new ProfileMistake(`${place}.url`, 'expected an address like "https://api.example.com/v1"')
}

/** `clearance = "sensitive"` for a model elsewhere is the owner's word as well; what is regulated never leaves. */
function clearanceFrom(
  place: string,
  { clearance, owner_acknowledged_cloud_risk: isAcknowledged }: Written,
  isLocal: boolean,
): Level {
  if (clearance === 'regulated' && !isLocal) {
    throw new ProfileMistake(`${place}.clearance`, 'what is regulated may only go to a local model')
  }
  const usual = isAcknowledged ? 'sensitive' : 'internal'
  return clearance ?? (isLocal ? 'regulated' : usual)
}

export function isLoopback(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.has(new URL(url).hostname)
}

/** A place in `[models]` that cannot be read, and what is wrong with it. */
export class ProfileMistake extends Error {
  readonly place: string
  readonly problem: string
  constructor(place: string, problem: string) {
    super(`${place}: ${problem}`)
    this.place = place
    this.problem = problem
  }
}
