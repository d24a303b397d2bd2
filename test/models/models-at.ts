/** Models over real HTTP: the guarded fetch, the AI SDK, and a vault that lends one key. What is logged is kept. */
import { createEgress } from '../../src/egress/create-egress.ts'
import { parseActive, parseProfiles } from '../../src/inference/model-profiles.ts'
import { type ModelDeps, openModels, type OwnedModels } from '../../src/inference/open-models.ts'
import type { Log } from '../../src/kernel/ports.ts'
import { OWNER } from '../../src/kernel/principal.ts'

export const KEY = 'sk-a-key-that-nobody-should-see'

export interface ModelsHere {
  readonly models: OwnedModels
  readonly lines: readonly string[]
}

/** `table` is `[models]` of config.toml. */
export function modelsOf(table: object, deps: Partial<ModelDeps> = {}): ModelsHere {
  const lines: string[] = []
  const note = (message: string, fields?: object): void => {
    lines.push(JSON.stringify([message, fields]))
  }
  const log: Log = { info: note, warn: note, error: note }
  const egress = createEgress({ owner: OWNER.id, audit: { append: () => ({}) as never }, log })
  const profiles = parseProfiles(table)
  const models = openModels({
    profiles,
    active: parseActive(table, profiles),
    createFetch: (options) => egress.createFetch(options),
    vault: {
      lease: async () => ({
        value: () => Buffer.from(KEY),
        [Symbol.asyncDispose]: async () => undefined,
      }),
    },
    owner: OWNER.id,
    log,
    ...deps,
  })
  return { models, lines }
}
