/** Lines of definitions that name a package, for whoever moves such a server to another version of it. */
import type { Catalog, PackageLine, PackageLines } from '../../ports/catalog-port.ts'
import type { Definitions, Notes } from '../../kernel/ports.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { createPackagePins } from './package-pins.ts'

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
      const launch = definition && catalog.parseLaunch(definition)?.launch
      if (!definition || (launch?.kind !== 'npm' && launch?.kind !== 'pypi')) return undefined
      const { args } = definition
      const pin = await pins.find(definition)
      const { line: _line, ...pinned } = pin ?? { line: '' }
      return {
        args,
        ...('entry' in pinned && { pinned }),
        argsFor: (version) => args.map((arg) => withVersion(arg, launch, version)),
      }
    },
    async pin(server, args, pinned) {
      const definition = await definitionOf(server)
      if (definition) await pins.put({ ...definition, args }, pinned)
    },
  }
}

/** `x@1.0.0` and `x==1.0` name one version; a word without one stays. */
function withVersion(
  arg: string,
  { package: name, version: old }: { readonly package: string; readonly version: string },
  version: string,
): string {
  return ['@', '==']
    .map((sign) => [`${name}${sign}${old}`, `${name}${sign}${version}`] as const)
    .reduce(
      (text, [from, to]) => (text.endsWith(from) ? text.slice(0, -from.length) + to : text),
      arg,
    )
}
