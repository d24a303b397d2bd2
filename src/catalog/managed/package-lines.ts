/** Lines of definitions that name a package, for whoever moves such a server to another version of it. */
import type { Catalog, PackageLaunch, PackageLine, PackageLines } from '../../ports/catalog-port.ts'
import type { Definitions, Notes } from '../../kernel/ports.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { packageOf } from './managed-launch.ts'
import { createPackagePins } from './package-pins.ts'
import { withCatalogFacts, withProgram } from './with-program.ts'

/** `written`: the definitions as their files have them. */
export function createPackageLines(
  written: Pick<Definitions, 'load'>,
  catalog: Pick<Catalog, 'parseLaunch'>,
  notes: Pick<Notes, 'put' | 'list'>,
): PackageLines {
  const pins = createPackagePins(notes)
  const definitionOf = async (server: ServerId): Promise<ServerDefinition | undefined> =>
    (await written.load()).servers.find(({ definition }) => definition.id === server)?.definition
  return {
    async find(server): Promise<PackageLine | undefined> {
      const definition = await definitionOf(server)
      const service = definition && catalog.parseLaunch(definition)
      const launch = service && packageOf(service)
      if (!definition || !launch) return undefined
      const { args } = definition
      const pin = await pins.find(definition)
      const { line: _line, ...pinned } = pin ?? { line: '' }
      return {
        args,
        launch,
        ...('entry' in pinned && { pinned }),
        argsFor: (version) => args.map((arg) => withVersion(arg, launch, version)),
        startsAs: (to) =>
          withProgram(withCatalogFacts(definition, service), launch, { ...to, line: '' }),
      }
    },
    async pin(server, args, pinned) {
      const definition = await definitionOf(server)
      if (definition) await pins.put({ ...definition, args }, pinned)
    },
  }
}

/**
 * `x@1.0.0` and `x==1.0` name one version, and `x:1.0@sha256:…` one image; a word without one stays. The digest of an
 * image names nothing else, so it alone is compared: the name before it may be written in several ways.
 */
function withVersion(
  arg: string,
  { kind, package: name, version: old }: PackageLaunch,
  version: string,
): string {
  if (kind === 'image') return arg.endsWith(`@${old}`) ? arg.slice(0, -old.length) + version : arg
  return ['@', '==']
    .map((sign) => [`${name}${sign}${old}`, `${name}${sign}${version}`] as const)
    .reduce(
      (text, [from, to]) => (text.endsWith(from) ? text.slice(0, -from.length) + to : text),
      arg,
    )
}
