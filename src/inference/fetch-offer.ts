/**
 * The models that providers offer, fetched from `/models` of each and kept in `cache/models.json`. Ids are untrusted
 * text: bounded here, and cleaned by whoever shows them.
 */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type { OfferedModels } from '../ports/model-port.ts'
import type { Files, Vault } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { readAtMost } from '../text/read-at-most.ts'
import { type FetchDeps, fetchFor } from './fetch-for.ts'
import type { ModelProfile } from './model-profiles.ts'

export interface OfferDeps extends FetchDeps {
  readonly files: Pick<Files, 'read' | 'write'>
  readonly cachePath: string
  readonly vault: Pick<Vault, 'lease'>
  readonly owner: PrincipalId
}

const MOST_BYTES = 4 * 2 ** 20
const MOST_MODELS = 2000
const TIMEOUT_MS = 20_000

const LIST = z.object({ data: z.array(z.object({ id: z.string().min(1).max(200) })) })
const OFFER = z.object({ url: z.string(), at: z.string(), models: z.array(z.string()) })
const CACHE = z.object({ profiles: z.record(z.string(), OFFER) })
type Cache = z.infer<typeof CACHE>

/** The kept list of this profile; undefined if there is none for its address. */
export async function keptOffer(
  { files, cachePath }: Pick<OfferDeps, 'files' | 'cachePath'>,
  { name, url }: ModelProfile,
): Promise<OfferedModels | undefined> {
  const { profiles } = await readCache(files, cachePath)
  const kept = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (kept?.url !== url.href) return undefined
  return { profile: name, models: kept.models, at: kept.at }
}

/** Fetches the list and keeps it. Where that fails the kept one is given, with the reason; without one it throws. */
export async function fetchOffer(
  deps: OfferDeps,
  profile: ModelProfile,
  signal: AbortSignal,
): Promise<OfferedModels> {
  try {
    const models = await fetchList(deps, profile, signal)
    const at = new Date().toISOString()
    const { profiles } = await readCache(deps.files, deps.cachePath)
    const all = { ...profiles, [profile.name]: { url: profile.url.href, at, models } }
    await deps.files.write(deps.cachePath, `${JSON.stringify({ profiles: all }, null, 2)}\n`)
    return { profile: profile.name, models, at }
  } catch (error) {
    signal.throwIfAborted()
    const kept = await keptOffer(deps, profile)
    if (!kept) throw notListed(profile, error)
    const { message } = notListed(profile, error)
    return { ...kept, problem: message }
  }
}

async function fetchList(
  deps: OfferDeps,
  profile: ModelProfile,
  signal: AbortSignal,
): Promise<string[]> {
  const { url, key, provider } = profile
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  await using lease = key && (await deps.vault.lease(deps.owner, { key }, limit))
  const headers = headersFor(profile, lease?.value('key').toString('utf8'))
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  const all = provider === 'anthropic' ? '?limit=1000' : ''
  const request = { redirect: 'error', headers, signal: limit } as const
  const response = await fetchFor(deps, profile)(`${base}/models${all}`, request)
  if (!response.ok) {
    await response.body?.cancel()
    throw new BadList(`it answered with HTTP status ${response.status}`)
  }
  const body = await readAtMost(response.body, MOST_BYTES)
  const list = LIST.safeParse(parseJson(body?.toString() ?? ''))
  if (!list.success) throw new BadList('it answered in a form that is not known')
  return list.data.data.slice(0, MOST_MODELS).map(({ id }) => id)
}

function headersFor(
  { provider }: ModelProfile,
  key: string | undefined,
): Readonly<Record<string, string>> {
  const accept = { accept: 'application/json' }
  if (provider === 'openai') {
    return { ...accept, ...(key !== undefined && { authorization: `Bearer ${key}` }) }
  }
  const version = { 'anthropic-version': '2023-06-01' }
  return { ...accept, ...version, ...(key !== undefined && { 'x-api-key': key }) }
}

/** The message is the host's own. */
class BadList extends Error {}

async function readCache(files: Pick<Files, 'read'>, path: string): Promise<Cache> {
  const bytes = await files.read(path)
  const cache = CACHE.safeParse(parseJson(bytes?.toString() ?? ''))
  return cache.success ? cache.data : { profiles: {} } // a cache that cannot be read is fetched anew
}

function notListed({ name, url }: ModelProfile, cause: unknown): CordonError {
  if (cause instanceof CordonError && cause.code.startsWith('vault.')) return cause
  const why = cause instanceof BadList ? cause.message : `${url.hostname} cannot be reached`
  return new CordonError(
    'inference.no-list',
    { exit: 5, hint: `Check its address and key with \`cordon profiles test ${name}\`` },
    `Cannot fetch the models of ${JSON.stringify(name)}: ${why}`,
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
