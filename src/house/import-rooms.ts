/** Builds the moving of clients in and out, over the definitions, the gateway's clients and the vault. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { configFolders } from '../definitions/clients/client-configs.ts'
import {
  type ClientImportDeps,
  createClientImports,
} from '../definitions/clients/create-client-imports.ts'
import { sweepTemporaries } from '../home/files.ts'
import { OWNER } from '../kernel/principal.ts'
import type { Vault } from '../kernel/ports.ts'
import type { ClientImports, StartLine } from '../ports/client-import-port.ts'
import { tryStartLine } from '../sandbox/unsandboxed/try-start-line.ts'
import { initOnFirstSet } from '../vault/init-on-first-set.ts'
import type { ConnectingRooms } from './connect-rooms.ts'

interface Rooms
  extends Pick<ConnectingRooms, 'home' | 'audit' | 'tables' | 'definitions' | 'environment'>,
    Pick<ClientImportDeps, 'clients'> {
  readonly vault: Vault
}

export function createImportRooms(
  rooms: Rooms,
  entry: string,
): { readonly imports: ClientImports } {
  const { home, audit, tables, definitions, clients, vault, environment } = rooms
  const homeFolder = homedir()
  const imports = createClientImports({
    owner: OWNER.id,
    folders: configFolders(process.platform, homeFolder, environment),
    homeFolder,
    definitions,
    clients,
    notes: tables.notes,
    files: home.files,
    vault: initOnFirstSet(vault),
    audit,
    sweep: (folder) => sweepTemporaries(folder, 0).catch(() => undefined), // it may not exist yet
    startLine: (client) => startLine(client, { entry, home: home.path, homeFolder, environment }),
    tryLine: (line, signal) => tryStartLine(line, homeFolder, signal),
  })
  return { imports }
}

interface Program {
  readonly entry: string
  readonly home: string
  readonly homeFolder: string
  readonly environment: Rooms['environment']
}

/** Whole paths: a client that a desktop starts does not have the terminal's PATH. */
function startLine(client: string, { entry, home, homeFolder, environment }: Program): StartLine {
  const port = environment['CORDON_PORT']
  return {
    command: process.execPath,
    args: [entry, 'gateway', '--client', client],
    env: {
      ...(home !== join(homeFolder, '.cordon') && { CORDON_HOME: home }),
      ...(port !== undefined && port !== '' && { CORDON_PORT: port }),
    },
  }
}
