/** Builds the room of models, and what the owner can do with its profiles. Contains no rules. */
import path from 'node:path'
import type { ConnectingRooms } from './connect-rooms.ts'
import { editToml } from '../definitions/toml-file.ts'
import { createConfigEditor, createConfigFile } from '../home/config-file.ts'
import { type ConfiguredModels, openConfiguredModels } from '../inference/configured-models.ts'
import { createProfiles } from '../inference/create-profiles.ts'
import type { Profiles } from '../ports/model-port.ts'
import { OWNER } from '../kernel/principal.ts'

export interface ModelRooms {
  readonly models: ConfiguredModels
  readonly profiles: Profiles
}

export async function openModelRooms({
  home,
  egress,
  vault,
  log,
  tables,
}: ConnectingRooms): Promise<ModelRooms> {
  const { files, paths } = home
  const config = createConfigFile(files, paths.config)
  const shared = {
    createFetch: (options: Parameters<typeof egress.createFetch>[0]) => egress.createFetch(options),
    vault,
    owner: OWNER.id,
  }
  const models = await openConfiguredModels({
    ...shared,
    table: () => config.table('models'),
    notes: tables.unsyncedNotes,
    log,
  })
  const change = createConfigEditor(files, paths.config, editToml)
  const profiles = createProfiles({
    ...shared,
    models,
    change: (made) => change('models', made),
    files,
    cachePath: path.join(paths.cache, 'models.json'),
  })
  return { models, profiles }
}
