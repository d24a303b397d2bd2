/** The package that a server uses, and the version to which it could go. Installs nothing. */
import path from 'node:path'
import type { Catalog, PackageLaunch, PackageLine } from '../../ports/catalog-port.ts'
import type { LoadedDefinition, ServerDefinition } from '../../kernel/server-definition.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { notUpgradable } from './upgrade-errors.ts'
import type { UpgradeDeps } from './create-upgrades.ts'

export interface UsedPackage {
  readonly id: ServerId
  readonly definition: ServerDefinition
  /** The path of the program among its arguments. */
  readonly entry: string
  readonly slug: string
  readonly folder: string
  readonly launch: PackageLaunch
  /** Its file names the package by a line (`npx -y x`) instead of the installed program. */
  readonly line?: PackageLine
}

export async function findUsed(deps: UpgradeDeps, server: string): Promise<UsedPackage> {
  const { servers } = await deps.definitions.load()
  const loaded = servers.find(({ definition }) => definition.id === server)
  if (!loaded) throw notUpgradable(server, 'there is no such server')
  refuseOthers(loaded)
  const { definition } = loaded
  const image = definition.sandbox.image && (await usedImage(deps, definition))
  if (image) return image
  for (const entry of definition.args.slice(0, 2)) {
    const found = entry.startsWith('/') ? await deps.packages.launchAt(entry) : undefined
    if (!found) continue
    const line = await deps.lines.find(definition.id)
    return { id: definition.id, definition, entry, ...found, ...(line && { line }) }
  }
  const isShipped = definition.args.some((arg) => arg.startsWith('cordon:'))
  throw notUpgradable(
    server,
    isShipped ? 'it comes with Cordon, and is as new as that' : 'it runs no installed package',
  )
}

/** The facts of an image lie beside its root file system; the rest of its launch is in its line. */
async function usedImage(
  { packages, lines }: UpgradeDeps,
  definition: ServerDefinition,
): Promise<UsedPackage | undefined> {
  const entry = `${path.dirname(definition.sandbox.image?.root ?? '')}/image.json`
  const found = await packages.launchAt(entry)
  const line = await lines.find(definition.id)
  if (!found || !line) return undefined
  if (definition.package?.tag === undefined) {
    throw notUpgradable(
      definition.id,
      'its image is named by its digest alone, and no tag says where a newer one would be',
    )
  }
  const { version, integrity = version } = found.launch
  return {
    id: definition.id,
    definition,
    entry,
    ...found,
    launch: { ...line.launch, version, integrity },
    line,
  }
}

function refuseOthers({ definition, scope, path }: LoadedDefinition): void {
  if (scope === 'user') return
  const file = JSON.stringify(path)
  throw notUpgradable(definition.id, `its definition in ${file} is not yours to change`)
}

/** The launch of the newer version; undefined if the newest is in use. */
export async function findNewer(
  { catalog, packages }: Pick<UpgradeDeps, 'catalog' | 'packages'>,
  { id, definition, launch }: UsedPackage,
  signal: AbortSignal,
): Promise<PackageLaunch | undefined> {
  const own = launchOfCatalog(catalog, definition)
  if (own) return own.version === launch.version ? undefined : { ...own, args: [] }
  const { kind, package: name, version } = launch
  const tag = definition.package?.tag
  const used = { server: id, kind, name, version, ...(tag !== undefined && { tag }) }
  const { newer } = await packages.news(used, signal)
  const { integrity: _old, ...same } = launch
  return newer === undefined ? undefined : { ...same, version: newer }
}

/** A service of the catalog stays at the version that its entry was written and checked for. */
function launchOfCatalog(
  catalog: Pick<Catalog, 'find'>,
  { source, package: used }: ServerDefinition,
): PackageLaunch | undefined {
  if (source?.kind !== 'catalog') return undefined
  const launch = catalog.find(source.name)?.launch
  if (launch?.kind !== 'npm' && launch?.kind !== 'pypi') return undefined
  return launch.package === used?.identifier ? launch : undefined
}
