/** Builds the definitions of servers, with the catalog's knowledge about what they launch. Contains no rules. */
import { createCatalog } from '../catalog/create-catalog.ts'
import { createManagedLaunch } from '../catalog/managed/managed-launch.ts'
import { createKnownFacts } from '../catalog/known-tools.ts'
import { createDefinitions, type DefinitionDeps } from '../definitions/create-definitions.ts'
import { createPackageLines } from '../catalog/managed/package-lines.ts'
import type { Catalog, PackageLines, Packages } from '../ports/catalog-port.ts'
import type { Definitions, Vault } from '../kernel/ports.ts'
import type { ServerDeps } from '../servers/open-servers.ts'
import type { OwnerTables } from '../store/open-store.ts'
import { initOnFirstSet } from '../vault/init-on-first-set.ts'

const SYSTEM_DEFINITIONS = '/etc/cordon/mcp'

interface DefinitionParts
  extends Pick<
    DefinitionDeps,
    'owner' | 'files' | 'audit' | 'homeFolder' | 'userFolder' | 'configPath' | 'judgePath'
  > {
  readonly tables: OwnerTables
  readonly vault: Vault
}

type LaunchParts = 'provide' | 'knownTools' | 'knownFormats'

export interface DefinitionRooms {
  readonly catalog: Catalog
  readonly definitions: Definitions
  /** The lines by which definitions name packages. */
  readonly lines: PackageLines
  /** How definitions become programs, and the catalog's knowledge about those. `folder` holds the packages. */
  launchFrom(packages: Packages, folder: string): Pick<ServerDeps, LaunchParts>
}

export function openDefinitions({ tables, vault, ...shared }: DefinitionParts): DefinitionRooms {
  const catalog = createCatalog()
  const managed = createManagedLaunch(catalog, tables.notes)
  const written = createDefinitions({
    ...shared,
    systemFolder: SYSTEM_DEFINITIONS,
    trust: tables.projectTrust,
    consents: tables.consents,
    hashes: tables.definitionHashes,
    journal: tables.importJournal,
    vault: { ...initOnFirstSet(vault), status: () => vault.status() },
    catalog,
  })
  return {
    catalog,
    definitions: managed.manage(written),
    lines: createPackageLines(written, catalog, tables.notes),
    launchFrom: (packages, folder) => ({
      provide: (...start) => managed.provide(packages, ...start),
      ...createKnownFacts(folder),
    }),
  }
}
