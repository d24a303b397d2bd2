/** The models of the owner's settings. Settings that cannot be read disable the models and nothing else of the kernel. */
import { CordonError } from '../kernel/error.ts'
import { parseProfiles } from './model-profiles.ts'
import { failureOf, type ModelDeps, openModels, type OwnedModels } from './open-models.ts'

/** `table` reads `[models]` of config.toml; a fault in it is told to every caller that asks a model. */
export async function openConfiguredModels(
  table: () => Promise<unknown>,
  deps: Omit<ModelDeps, 'profiles'>,
): Promise<OwnedModels> {
  try {
    return openModels({ ...deps, profiles: parseProfiles(await table()) })
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    deps.log.warn('The settings of the models cannot be read', { error })
    return {
      ...openModels({ ...deps, profiles: new Map() }),
      problem: () => error,
      ask: () => Promise.resolve(failureOf(error)),
    }
  }
}
