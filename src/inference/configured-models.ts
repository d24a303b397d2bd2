/**
 * The models of the owner's settings, as they were when they were last read. Settings that cannot be read disable the
 * models and nothing else of the kernel. What a profile has used, and how often it failed, outlives a change of them.
 */
import { isDeepStrictEqual } from 'node:util'
import { CordonError } from '../kernel/error.ts'
import type { Notes } from '../kernel/ports.ts'
import { failureOf } from './ask-profile.ts'
import { type Circuits, createCircuits } from './circuits.ts'
import { parseActive, parseProfiles, type Profiles } from './model-profiles.ts'
import { type ModelDeps, openModels, type OwnedModels } from './open-models.ts'
import { type DailyUsage, openUsage } from './open-usage.ts'

export interface ConfiguredModels extends OwnedModels {
  readonly usage: DailyUsage
  readonly circuits: Circuits
  /** Reads the settings again; throws what is wrong with them. */
  reload(): Promise<{ readonly profiles: Profiles; readonly active: string | undefined }>
}

export interface ConfiguredDeps
  extends Omit<ModelDeps, 'profiles' | 'active' | 'usage' | 'circuits'> {
  /** Reads `[models]` of config.toml; a fault in it is told to every caller that asks a model. */
  readonly table: () => Promise<unknown>
  readonly notes: Pick<Notes, 'put' | 'list'>
}

interface Loaded {
  readonly profiles: Profiles
  readonly active: string | undefined
  readonly models: OwnedModels
}

export async function openConfiguredModels(deps: ConfiguredDeps): Promise<ConfiguredModels> {
  const { log, notes } = deps
  const usage = openUsage({ notes, log, now: Date.now })
  const circuits = createCircuits(Date.now)
  const load = createLoader(deps, { usage, circuits })
  const none = openModels({ ...deps, profiles: new Map(), usage, circuits })
  let fault: CordonError | undefined
  let models = none
  const reload: ConfiguredModels['reload'] = async () => {
    try {
      const loaded = await load()
      ;({ models } = loaded)
      fault = undefined
      return loaded
    } catch (error) {
      if (error instanceof CordonError) [fault, models] = [error, none]
      throw error
    }
  }
  await reload().catch((error: unknown) => {
    if (!(error instanceof CordonError)) throw error
    log.warn('The settings of the models cannot be read', { error })
  })
  return {
    usage,
    circuits,
    reload,
    get clearance() {
      return models.clearance
    },
    get isLocal() {
      return models.isLocal
    },
    get pin() {
      return models.pin
    },
    problem: (profile) => fault ?? models.problem(profile),
    ask: async (question, signal) =>
      fault ? failureOf(fault) : await models.ask(question, signal),
    askOnly: (profile, question, signal) => models.askOnly(profile, question, signal),
  }
}

/** Connections to providers belong to the models, so these are kept as long as the settings stay the same. */
function createLoader(
  deps: ConfiguredDeps,
  lasting: Pick<ConfiguredModels, 'usage' | 'circuits'>,
): () => Promise<Loaded> {
  let last: { readonly table: unknown; readonly loaded: Loaded } | undefined
  return async () => {
    const table = await deps.table()
    if (last && isDeepStrictEqual(last.table, table)) return last.loaded
    const profiles = parseProfiles(table)
    const active = parseActive(table, profiles)
    const models = openModels({ ...deps, profiles, active, ...lasting })
    last = { table, loaded: { profiles, active, models } }
    return last.loaded
  }
}
