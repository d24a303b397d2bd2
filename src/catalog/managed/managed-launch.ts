/**
 * Definitions that run a package by `npx`, `bunx`, `pnpm dlx`, `npm exec`, `uvx` or `pipx run`, or an image by `docker run`
 * or `podman run`, are managed installs: at the first start the package is resolved, pinned and installed in its sandbox, and from then on its program is started. The
 * file stays as it was written. A line that Cordon cannot run is refused with the sentence that says why.
 */
import { existsSync } from 'node:fs'
import type { Catalog, InstallProgress, Packages } from '../../ports/catalog-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Definitions, Notes } from '../../kernel/ports.ts'
import type { LoadedDefinition, ServerDefinition } from '../../kernel/server-definition.ts'
import type { Service } from '../../ports/service-facts.ts'
import { serverIdFor } from '../../kernel/server-id.ts'
import { parseRemoteBridge } from '../../text/remote-bridge.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'
import { isShippedWord } from '../shipped/shipped-word.ts'
import {
  isGuest,
  type PackageLaunch,
  withCatalogFacts,
  withoutBridge,
  withProgram,
} from './with-program.ts'
import { createPackagePins, type PackagePin } from './package-pins.ts'

type Load = Pick<Definitions, 'load' | 'findInProject'>

export interface ManagedLaunch {
  /** The same definitions, with the installed program where the package is installed already. Makes no request. */
  manage<T extends Load>(definitions: T): T
  /** The definition as it is started; installs its package first where it is not there. */
  provide(
    packages: Pick<Packages, 'install'>,
    definition: ServerDefinition,
    progress: InstallProgress,
    signal: AbortSignal,
  ): Promise<ServerDefinition>
}

export function createManagedLaunch(
  catalog: Pick<Catalog, 'parseLaunch'>,
  notes: Pick<Notes, 'put' | 'list'>,
): ManagedLaunch {
  const pins = createPackagePins(notes)
  const serially = createSerialQueue() // one npm at a time: ten of them would take all memory
  const settle = async (written: ServerDefinition, service: Service): Promise<ServerDefinition> => {
    if (written.url !== undefined) return written
    if (service.launch.kind === 'remote') return unbridged(written) ?? written
    const definition = withCatalogFacts(written, service)
    const launch = packageOf(service)
    const pin = launch && (await pins.find(written))
    const isThere = pin && (isShippedWord(pin.entry) || existsSync(pin.entry))
    return launch && isThere ? (settled(definition, launch, pin) ?? definition) : definition
  }
  return {
    manage: (definitions) => ({
      ...definitions,
      async load(workingFolder) {
        const listing = await definitions.load(workingFolder)
        const servers = await Promise.all(
          listing.servers.map((loaded) => settleLoaded(loaded, catalog, settle)),
        )
        return { ...listing, servers }
      },
      async findInProject(workingFolder, server) {
        const found = await definitions.findInProject(workingFolder, server)
        const service = found && serviceOf(catalog, found)
        return found && service ? await settle(found, service) : found
      },
    }),
    async provide(packages, written, progress, signal) {
      const service = catalog.parseLaunch(written)
      if (!service || written.url !== undefined) return written
      if (service.launch.kind === 'unsupported') throw waits(written, service.launch.why)
      const launch = packageOf(service)
      if (!launch) throw bridged(written)
      const pin = await pins.find(written)
      const exact = pin ? { ...launch, version: pin.version, integrity: pin.integrity } : launch
      const slug = slugOf(written, service)
      const installed = await serially(() => packages.install(slug, exact, progress, signal))
      await pins.put(written, installed)
      return withProgram(withCatalogFacts(written, service), launch, {
        ...installed,
        line: '',
      })
    },
  }
}

/** Undefined if it cannot start as it is: its start says why. */
function settled(
  definition: ServerDefinition,
  launch: PackageLaunch,
  pin: PackagePin,
): ServerDefinition | undefined {
  try {
    return withProgram(definition, launch, pin)
  } catch {
    return undefined
  }
}

type Settle = (definition: ServerDefinition, service: Service) => Promise<ServerDefinition>

async function settleLoaded(
  loaded: LoadedDefinition,
  catalog: Pick<Catalog, 'parseLaunch'>,
  settle: Settle,
): Promise<LoadedDefinition> {
  const { definition, runsAs, warnings } = loaded
  const service = serviceOf(catalog, definition)
  if (!service) return loaded
  if (service.launch.kind === 'unsupported') {
    return { ...loaded, warnings: [...warnings, service.launch.why] }
  }
  const settled = await settle({ ...definition, id: runsAs ?? definition.id }, service)
  return { ...loaded, definition: { ...settled, id: definition.id } }
}

/** Undefined also for a line that cannot be read: its start says why. */
function serviceOf(
  { parseLaunch }: Pick<Catalog, 'parseLaunch'>,
  definition: ServerDefinition,
): Service | undefined {
  try {
    return parseLaunch(definition)
  } catch (error) {
    if (error instanceof CordonError) return undefined
    throw error
  }
}

function unbridged(definition: ServerDefinition): ServerDefinition | undefined {
  const bridge = parseRemoteBridge(definition.args)
  return bridge && withoutBridge(definition, bridge)
}

export function packageOf({ launch }: Service): PackageLaunch | undefined {
  const isPackage = launch.kind === 'npm' || launch.kind === 'pypi' || launch.kind === 'image'
  return isPackage ? launch : undefined
}

/** A package of the catalog is shared by all its definitions; any other belongs to the server that names it. */
function slugOf(definition: ServerDefinition, { origin, slug }: Service): string {
  if (origin === 'catalog') return slug
  return isGuest(definition) ? serverIdFor(definition.id.replace('~', '-')) : definition.id
}

function waits({ id }: ServerDefinition, why: string): CordonError {
  return new CordonError(
    'catalog.waits',
    { exit: 5, hint: why },
    `Cannot start ${JSON.stringify(id)} yet`,
  )
}

function bridged({ id }: ServerDefinition): CordonError {
  return new CordonError(
    'catalog.bridged',
    {
      exit: 2,
      hint: 'Write its address as `url`, and a header it needs as "header:NAME" under [auth]; then take [server] out',
    },
    `Cannot start ${JSON.stringify(id)} by mcp-remote: Cordon reaches a remote server itself`,
  )
}
