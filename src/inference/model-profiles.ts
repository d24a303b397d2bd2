/**
 * The owner's models, from `[models.NAME]` in config.toml: the URL, the name of the model there, the secret that opens
 * it, and the highest level that it may read. A profile that cannot be parsed is refused, never guessed.
 */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import { type Level } from '../labels/label.ts'
import { parseSecretRef, type SecretRef } from '../kernel/secret-ref.ts'

export interface ModelProfile {
  readonly name: string
  /** The base URL, to which `/chat/completions` is appended. */
  readonly url: URL
  readonly model: string
  readonly key?: SecretRef
  /** The model runs on this machine, so plain http is allowed. */
  readonly isLocal: boolean
  readonly clearance: Level
  readonly maxOutputTokens: number
  readonly timeoutMs: number
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

const PROFILE = z.strictObject({
  url: z.url({
    protocol: /^https?$/,
    error: 'expected an address like "https://api.example.com/v1"',
  }),
  model: z.string().min(1).max(200),
  key: z.string().exactOptional(),
  local: z.boolean().default(false),
  // No model is cleared for secrets, and only a local model for regulated data.
  clearance: z.enum(['public', 'internal', 'sensitive', 'regulated']).exactOptional(),
  max_output_tokens: z.int().min(1).max(1_000_000).default(4096),
  timeout_seconds: z.int().min(1).max(3600).default(120),
})
type Written = z.infer<typeof PROFILE>

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/

/** Parses the table `models`; undefined means that there are no models. */
export function parseProfiles(table: unknown): ReadonlyMap<string, ModelProfile> {
  if (table === undefined) return new Map()
  const reading = z.record(z.string(), z.unknown()).safeParse(table)
  if (!reading.success) throw badProfile('models', 'expected a table such as [models.default]')
  return new Map(
    Object.entries(reading.data).map(([name, written]) => [name, profileFrom(name, written)]),
  )
}

function profileFrom(name: string, input: unknown): ModelProfile {
  const place = `models.${name}`
  if (!NAME.test(name)) throw badProfile('models', `${JSON.stringify(name)} is no name of a model`)
  const reading = PROFILE.safeParse(input)
  if (!reading.success) {
    const [issue] = reading.error.issues
    throw badProfile([place, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is malformed')
  }
  const { model, local: isLocal, max_output_tokens, timeout_seconds, key } = reading.data
  const url = urlFrom(place, reading.data)
  return {
    name,
    url,
    model,
    ...(key !== undefined && { key: parseSecretRef(key) }),
    isLocal,
    clearance: clearanceFrom(place, reading.data),
    maxOutputTokens: max_output_tokens,
    timeoutMs: timeout_seconds * 1000,
  }
}

/** A loopback address needs `local = true`, and `local = true` needs a loopback address. */
function urlFrom(place: string, { url: written, local }: Written): URL {
  const url = new URL(written)
  const isLoopback = LOOPBACK.has(url.hostname)
  if (url.href !== `${url.origin}${url.pathname}`) {
    throw badProfile(`${place}.url`, 'expected no user name, query or fragment in it')
  }
  if (local && !isLoopback) throw badProfile(`${place}.url`, 'a local model is at 127.0.0.1')
  if (!local && isLoopback)
    throw badProfile(`${place}.local`, 'write local = true for this machine')
  if (!local && url.protocol !== 'https:') throw badProfile(`${place}.url`, 'expected https')
  return url
}

function clearanceFrom(place: string, { clearance, local }: Written): Level {
  if (clearance === 'regulated' && !local) {
    throw badProfile(`${place}.clearance`, 'what is regulated may only go to a local model')
  }
  return clearance ?? (local ? 'regulated' : 'internal')
}

function badProfile(place: string, problem: string): CordonError {
  return new CordonError(
    'inference.bad-profile',
    { exit: 2, hint: 'Correct that place in config.toml; docs/flows.md has an example' },
    `Cannot read ${place} in config.toml: ${problem}`,
  )
}
