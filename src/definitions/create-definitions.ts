/**
 * The `Definitions` port: one principal's servers as TOML files, and every operation that adds, changes or removes a
 * file. Operations run one after another, so none sees another half done. Starts no server and opens no connection.
 */
import type { Catalog } from '../ports/catalog-port.ts'
import type {
  Audit,
  Consents,
  DefinitionHashes,
  Definitions,
  Files,
  ImportJournal,
  ProjectTrust,
  Vault,
} from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { createLimitsStamp } from './config-limits.ts'
import { createDefinitionStamp } from './definition-stamp.ts'
import { addDefinition, editDefinition, removeDefinition } from './edit-definition.ts'
import {
  countDefinitions,
  findInProject,
  loadDefinitions,
  showProject,
} from './load-definitions.ts'
import { migrate } from './import/migrate.ts'
import { trustProject, untrustProject } from './project-scope.ts'
import { createSerialQueue } from '../text/serial-queue.ts'
import { undoImport } from './import/undo-import.ts'

export interface DefinitionDeps {
  /** The principal whose servers these are. */
  readonly owner: PrincipalId
  /** `<home>/mcp`: the files that Cordon writes. */
  readonly userFolder: string
  /** `/etc/cordon/mcp`: the administrator's, only read. */
  readonly systemFolder: string
  /** `<home>/config.toml`, of which `[limits]` is read. */
  readonly configPath: string
  /** The owner's home folder: `~` in a path means it, and it never counts as a project. */
  readonly homeFolder: string
  readonly files: Pick<Files, 'read' | 'write' | 'remove'>
  readonly trust: ProjectTrust
  readonly consents: Consents
  readonly hashes: DefinitionHashes
  readonly journal: ImportJournal
  readonly catalog: Pick<Catalog, 'parseLaunch'>
  readonly vault: Pick<Vault, 'status' | 'has' | 'list' | 'set' | 'remove' | 'lease'>
  readonly audit: Pick<Audit, 'appendDurable'>
  /** The reason why a server may not be shown a path; undefined if it may. */
  judgePath(wanted: string, use: 'read' | 'write'): string | undefined
}

export function createDefinitions(parts: DefinitionDeps): Definitions {
  const serially = createSerialQueue()
  const deps = { ...parts, noticed: new Map() }
  const folders = [deps.userFolder, deps.systemFolder]
  const definitionStamp = createDefinitionStamp(folders)
  const limitsStamp = createLimitsStamp(deps.configPath)
  return {
    load: (workingFolder) => serially(() => loadDefinitions(deps, workingFolder)),
    stamp: (server) => `${definitionStamp(server)} ${limitsStamp()}`,
    count: () => serially(() => countDefinitions(deps)),
    add: (server, changes) => serially(() => addDefinition(deps, server, changes)),
    edit: (server, changes) => serially(() => editDefinition(deps, server, changes)),
    remove: (server, options) => serially(() => removeDefinition(deps, server, options)),
    migrate: (request) => serially(() => migrate(deps, request)),
    undo: (importId) => serially(() => undoImport(deps, importId)),
    showProject: (folder) => serially(() => showProject(deps, folder)),
    trustProject: (folder, choice) => serially(() => trustProject(deps, folder, choice)),
    findInProject: (folder, server) => serially(() => findInProject(deps, folder, server)),
    untrustProject: (folder) => serially(() => untrustProject(deps, folder)),
  }
}
