/**
 * Routes about the owner's model profiles, for every surface. A key goes in and never comes out; the address of a profile
 * never changes, so that no request can send the key of one provider to another.
 */
import { z } from 'zod'
import type {
  ModelBudget,
  ModelUsage,
  NewProfile,
  OfferedModels,
  ProfileChanges,
  ProfileView,
  Profiles,
} from '../ports/model-port.ts'
import type { Vault } from '../kernel/ports.ts'
import { nothing } from './fields.ts'
import type { Nothing, Routes } from './route.ts'

export interface ProfileContract {
  'profiles.list': {
    surface: 'any'
    input: Nothing
    output: {
      readonly profiles: readonly ProfileView[]
      /** The sum over all of them. */
      readonly today: Required<ModelBudget>
    }
  }
  /**
   * `key` is the key itself: it goes to the vault. Open to the page, where the owner types it into a password field: a
   * profile starts no program, and no answer holds a key.
   */
  'profiles.add': { surface: 'any'; input: NewProfile & Protection; output: ProfileView }
  'profiles.edit': {
    surface: 'any'
    input: { readonly name: string } & ProfileChanges & Protection
    output: ProfileView
  }
  'profiles.use': {
    surface: 'any'
    input: { readonly name: string; readonly model?: string }
    output: ProfileView
  }
  /** `forgot` is the name of the secret that went with it. */
  'profiles.remove': {
    surface: 'any'
    input: { readonly name: string }
    output: { readonly name: string; readonly forgot?: string }
  }
  'profiles.test': {
    surface: 'any'
    input: { readonly name?: string }
    output: ModelUsage & { readonly text: string }
  }
  'profiles.refresh': {
    surface: 'any'
    input: { readonly name?: string }
    output: { readonly offered: readonly OfferedModels[] }
  }
}

/** How the vault is protected, if this key is its first secret. */
interface Protection {
  readonly protect?: 'keychain' | 'keyfile'
}

export interface ProfileDeps {
  readonly profiles: Profiles
  readonly vault: Pick<Vault, 'status' | 'init'>
}

const name = z.string().min(1).max(63)
const model = z.string().min(1).max(200)
const key = z.string().min(1).max(65_536).exactOptional()
const mayReadSensitive = z.boolean().exactOptional()
const protect = z.enum(['keychain', 'keyfile']).exactOptional()
const perhapsNamed = z.strictObject({ name: name.exactOptional() })

export function profileRoutes(deps: ProfileDeps): Routes<ProfileContract> {
  return { ...keyRoutes(deps), ...otherRoutes(deps) }
}

type KeyRoute = 'profiles.add' | 'profiles.edit'

function keyRoutes({ profiles, vault }: ProfileDeps): Routes<Pick<ProfileContract, KeyRoute>> {
  const makeVault = async (protect: Protection['protect'] | undefined): Promise<void> => {
    if (protect && (await vault.status()).state === 'absent') await vault.init(protect)
  }
  return {
    'profiles.add': {
      surface: 'any',
      input: z.strictObject({
        name,
        provider: z.enum(['anthropic', 'openai', 'ollama']),
        url: z.string().min(1).max(2048).exactOptional(),
        model,
        key,
        mayReadSensitive,
        protect,
      }),
      async handle({ protect, ...profile }) {
        await makeVault(protect)
        return await profiles.add(profile)
      },
    },
    'profiles.edit': {
      surface: 'any',
      input: z.strictObject({ name, model: model.exactOptional(), key, mayReadSensitive, protect }),
      async handle({ name, protect, ...changes }) {
        await makeVault(protect)
        return await profiles.edit(name, changes)
      },
    },
  }
}

function otherRoutes({
  profiles,
}: Pick<ProfileDeps, 'profiles'>): Routes<Omit<ProfileContract, KeyRoute>> {
  return {
    'profiles.list': {
      surface: 'any',
      input: nothing,
      async handle() {
        const all = await profiles.list()
        return { profiles: all, today: sumOf(all) }
      },
    },
    'profiles.use': {
      surface: 'any',
      input: z.strictObject({ name, model: model.exactOptional() }),
      handle: (chosen) => profiles.use(chosen.name, chosen.model),
    },
    'profiles.remove': {
      surface: 'any',
      input: z.strictObject({ name }),
      handle: async (removed) => ({ name: removed.name, ...(await profiles.remove(removed.name)) }),
    },
    'profiles.test': {
      surface: 'any',
      input: perhapsNamed,
      handle: (tried, signal) => profiles.test(tried.name, signal),
    },
    'profiles.refresh': {
      surface: 'any',
      input: perhapsNamed,
      handle: async (asked, signal) => ({ offered: await profiles.refresh(asked.name, signal) }),
    },
  }
}

function sumOf(profiles: readonly ProfileView[]): Required<ModelBudget> {
  const sum = (unit: keyof ModelBudget): number =>
    profiles.reduce((all, { today }) => all + today[unit], 0)
  return { tokens: sum('tokens'), cost: sum('cost'), seconds: sum('seconds') }
}
