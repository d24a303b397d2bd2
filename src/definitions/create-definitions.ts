/**
 * The `Definitions` port: a principal's servers as TOML files, and every operation that adds, changes or removes a
 * file. Operations run one after another, so none sees another half done. Starts no server and opens no connection.
 */
import type {
  Audit,
  DefinitionHashes,
  Definitions,
  Files,
  ImportJournal,
  ProjectTrust,
  Vault,
} from '../kernel/ports.ts'
import { addDefinition, editDefinition, removeDefinition } from './edit-definition.ts'
import { countDefinitions, loadDefinitions } from './load-definitions.ts'
import { migrate } from './import/migrate.ts'
import { trustProject, untrustProject } from './project-scope.ts'
import { createTurns } from '../text/serial-queue.ts'
import { undoImport } from './import/undo-import.ts'

export interface DefinitionRooms {
  /** `<home>/mcp`: the files that Cordon writes. */
  readonly userFolder: string
  /** `/etc/cordon/mcp`: the administrator's, only read. */
  readonly systemFolder: string
  /** The owner's home folder: `~` in a path means it, and it never counts as a project. */
  readonly homeFolder: string
  readonly files: Pick<Files, 'read' | 'write' | 'remove'>
  readonly trust: ProjectTrust
  readonly hashes: DefinitionHashes
  readonly journal: ImportJournal
  readonly vault: Pick<Vault, 'status' | 'has' | 'list' | 'set' | 'remove' | 'lease'>
  readonly audit: Pick<Audit, 'appendDurable'>
}

export function createDefinitions(parts: DefinitionRooms): Definitions {
  const inTurn = createTurns()
  const rooms = { ...parts, noticed: new Map() }
  return {
    load: (owner, workingFolder) => inTurn(() => loadDefinitions(rooms, owner, workingFolder)),
    count: () => inTurn(() => countDefinitions(rooms)),
    add: (owner, server, changes) => inTurn(() => addDefinition(rooms, owner, server, changes)),
    edit: (owner, server, changes) => inTurn(() => editDefinition(rooms, owner, server, changes)),
    remove: (owner, server, options) =>
      inTurn(() => removeDefinition(rooms, owner, server, options)),
    migrate: (owner, request) => inTurn(() => migrate(rooms, owner, request)),
    undo: (owner, importId) => inTurn(() => undoImport(rooms, owner, importId)),
    trustProject: (owner, folder) => inTurn(() => trustProject(rooms, owner, folder)),
    untrustProject: (owner, folder) => inTurn(() => untrustProject(rooms, owner, folder)),
  }
}
