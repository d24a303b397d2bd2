/**
 * The owner's profiles as they are listed, added, chosen, tried and removed: `[models]` of config.toml, changed without
 * touching anything else in the file. A key goes to the vault before the profile names it, and is never shown.
 */
import { CordonError } from '../kernel/error.ts'
import type {
  NewProfile,
  ProfileChanges,
  ProfileView,
  Profiles as ProfilesPort,
} from '../ports/model-port.ts'
import type { Vault } from '../kernel/ports.ts'
import { showSecretRef } from '../kernel/secret-ref.ts'
import { closestNames } from '../text/closest-names.ts'
import { noProfile } from './choose-profiles.ts'
import type { ConfiguredModels } from './configured-models.ts'
import {
  isLoopback,
  type ModelProfile,
  PROFILE_NAME,
  ProfileMistake,
  type Profiles,
  readProfiles,
} from './model-profiles.ts'
import { fetchOffer, keptOffer, type OfferDeps } from './fetch-offer.ts'

type Table = Readonly<Record<string, unknown>>

export interface ProfileDeps extends Omit<OfferDeps, 'vault'> {
  readonly models: ConfiguredModels
  readonly vault: Pick<Vault, 'lease' | 'set' | 'remove'>
  /** Replaces `[models]` of config.toml by what is made of it, and leaves the rest of the file as it is. */
  readonly change: (change: (table: Table) => Table) => Promise<void>
}

export function createProfiles(deps: ProfileDeps): ProfilesPort {
  const view = async (name: string): Promise<ProfileView> => {
    const { profiles, active } = await deps.models.reload()
    return await viewOf(deps, found(profiles, name), active)
  }
  return {
    async list() {
      const { profiles, active } = await deps.models.reload()
      return await Promise.all([...profiles.values()].map((one) => viewOf(deps, one, active)))
    },
    async add(profile) {
      await addProfile(deps, profile)
      return await view(profile.name)
    },
    async edit(name, changes) {
      await editProfile(deps, name, changes)
      return await view(name)
    },
    async use(name, model) {
      const { profiles } = await deps.models.reload()
      const profile = found(profiles, name)
      if (model !== undefined) await requireOffered(deps, profile, model)
      await deps.change((table) => ({
        ...table,
        active: name,
        ...(model !== undefined && { [name]: { ...(table[name] as Table), model } }),
      }))
      return await view(name)
    },
    remove: (name) => removeProfile(deps, name),
    test: (name, signal) => testProfile(deps, name, signal),
    refresh: (name, signal) => refreshModels(deps, name, signal),
  }
}

async function testProfile(
  { models }: ProfileDeps,
  name: string | undefined,
  signal: AbortSignal,
): ReturnType<ProfilesPort['test']> {
  const { profiles, active } = await models.reload()
  const profile = found(profiles, name ?? active)
  const question = { system: 'Answer with one word.', text: 'Say OK.', level: 'public' } as const
  const answer = await models.askOnly(profile, question, signal)
  if (answer.kind === 'said') return { ...answer.usage, text: answer.text }
  throw new CordonError(
    'inference.unanswered',
    { exit: 5, hint: answer.hint ?? 'Check address, key and model in config.toml' },
    `Cannot get an answer from the model profile ${JSON.stringify(profile.name)}: ${answer.reason}`,
  )
}

async function refreshModels(
  deps: ProfileDeps,
  name: string | undefined,
  signal: AbortSignal,
): ReturnType<ProfilesPort['refresh']> {
  const { profiles } = await deps.models.reload()
  const isOne = name !== undefined || profiles.size === 0
  const asked = isOne ? [found(profiles, name)] : [...profiles.values()]
  // One after the other: they share the file that the lists are kept in.
  return await Array.fromAsync(asked, (profile) =>
    fetchOffer(deps, profile, signal).catch((error: unknown) => {
      if (isOne || !(error instanceof CordonError)) throw error
      return { profile: profile.name, models: [], problem: error.message }
    }),
  )
}

async function viewOf(
  { models: { usage, circuits } }: ProfileDeps,
  profile: ModelProfile,
  active: string | undefined,
): Promise<ProfileView> {
  const { name, provider, url, model, key, isLocal, clearance, fallback, budget } = profile
  const until = circuits.openUntil(name)
  return {
    name,
    provider,
    url: url.href,
    model,
    ...(key && { key: showSecretRef(key) }),
    isActive: name === active,
    isLocal,
    clearance,
    fallback,
    ...(until !== undefined && { degradedUntil: new Date(until).toISOString() }),
    budget,
    today: await usage.today(name),
  }
}

function found(profiles: Profiles, name: string | undefined): ModelProfile {
  const profile = profiles.get(name ?? '')
  if (profile) return profile
  const { code, message, hint } = noProfile(profiles, name)
  throw new CordonError(code, { exit: 5, hint }, message)
}

async function addProfile(deps: ProfileDeps, profile: NewProfile): Promise<void> {
  const { name, key } = profile
  const { profiles, active } = await deps.models.reload()
  if (profiles.has(name)) {
    throw new CordonError(
      'inference.profile-exists',
      { exit: 2, hint: `Run \`cordon profiles remove ${name}\` first, or choose another name` },
      `Cannot add the model profile ${JSON.stringify(name)}: there is one of this name`,
    )
  }
  const written = writtenFrom(profile)
  refuseMistake(name, written)
  if (key !== undefined) await keepKey(deps, name, key)
  // The active profile is written down, since "the only one" no longer names it.
  const chosen = active ?? name
  await deps.change((table) => ({ ...table, active: chosen, [name]: written }))
}

/** The key is in the vault before the profile names it, as with a new one. */
async function editProfile(
  deps: ProfileDeps,
  name: string,
  { model, key, mayReadSensitive }: ProfileChanges,
): Promise<void> {
  const { profiles } = await deps.models.reload()
  const profile = found(profiles, name)
  if (model !== undefined && model !== profile.model) await requireOffered(deps, profile, model)
  if (key !== undefined) await keepKey(deps, name, key)
  await deps.change((table) => {
    const { owner_acknowledged_cloud_risk: before, ...written } = table[name] as Table
    const isAcknowledged = mayReadSensitive ?? before === true
    const changed = {
      ...written,
      ...(model !== undefined && { model }),
      ...(key !== undefined && { key: `vault:${keyName(name)}` }),
      ...(isAcknowledged && { owner_acknowledged_cloud_risk: true }),
    }
    return { ...table, [name]: changed }
  })
}

/** Without a slash, so that no server of this name could be given it: `vault:<server>/…` is what servers may name. */
function keyName(profile: string): string {
  return `model_key_${profile}`
}

async function keepKey({ vault, owner }: ProfileDeps, name: string, key: string): Promise<void> {
  const bytes = Buffer.from(key)
  try {
    await vault.set(owner, keyName(name), bytes)
  } finally {
    bytes.fill(0)
  }
}

const ADDRESSES: Readonly<Record<NewProfile['provider'], string>> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  ollama: 'http://127.0.0.1:11434/v1',
}

function writtenFrom({ name, provider, model, key, mayReadSensitive, ...rest }: NewProfile): Table {
  const { url = ADDRESSES[provider] } = rest
  return {
    provider: provider === 'anthropic' ? provider : 'openai',
    url,
    model,
    ...(key !== undefined && { key: `vault:${keyName(name)}` }),
    ...(isLoopback(url) && { local: true }),
    ...(mayReadSensitive === true && { owner_acknowledged_cloud_risk: true }),
  }
}

function refuseMistake(name: string, written: Table): void {
  try {
    // `active` in [models] is the name of the active profile.
    if (!PROFILE_NAME.test(name) || name === 'active') {
      throw new ProfileMistake('name', 'expected small letters, digits, - and _')
    }
    readProfiles({ [name]: written })
  } catch (error) {
    if (!(error instanceof ProfileMistake)) throw error
    const place = error.place.split('.').at(-1) ?? ''
    throw new CordonError(
      'inference.cannot-add',
      { exit: 2, hint: 'Run `cordon profiles add --help` for examples' },
      `Cannot add the model profile ${JSON.stringify(name)}: ${place}: ${error.problem}`,
    )
  }
}

/** Only where the list is known: a provider need not have one. */
async function requireOffered(
  deps: ProfileDeps,
  profile: ModelProfile,
  model: string,
): Promise<void> {
  const offer = await keptOffer(deps, profile)
  if (!offer || offer.models.length === 0 || offer.models.includes(model)) return
  const near = closestNames(model, offer.models)
  const meant =
    near.length > 0 ? `; did you mean ${near.map((id) => JSON.stringify(id)).join(', ')}?` : ''
  throw new CordonError(
    'inference.no-such-model',
    { exit: 2, hint: `Run \`cordon profiles refresh ${profile.name}\` to see its models` },
    `Cannot use ${JSON.stringify(model)}: ${JSON.stringify(profile.name)} does not offer it${meant}`,
  )
}

async function removeProfile(
  deps: ProfileDeps,
  name: string,
): Promise<{ readonly forgot?: string }> {
  const { profiles } = await deps.models.reload()
  const { key } = found(profiles, name)
  const others = [...profiles.values()].filter((one) => one.name !== name)
  await deps.change((table) => withoutProfile(table, name))
  await deps.models.reload()
  const own = keyName(name)
  const isOwn = key?.scheme === 'vault' && key.name === own
  const isShared = others.some((one) => one.key?.scheme === 'vault' && one.key.name === own)
  if (!isOwn || isShared) return {}
  const { removed } = await deps.vault.remove(deps.owner, own)
  return removed ? { forgot: own } : {}
}

/** Also out of the fallbacks of others. */
function withoutProfile(table: Table, name: string): Table {
  const rest = Object.entries(table)
    .filter(([key, value]) => key !== name && !(key === 'active' && value === name))
    .map(([key, value]) => [key, withoutFallback(value, name)])
  return Object.fromEntries(rest) as Table
}

function withoutFallback(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !('fallback' in value)) return value
  const { fallback, ...rest } = value
  if (!Array.isArray(fallback)) return value
  const left = fallback.filter((other) => other !== name)
  return left.length === 0 ? rest : { ...rest, fallback: left }
}
