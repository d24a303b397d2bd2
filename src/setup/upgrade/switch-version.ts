/** The one write by which a server goes to another installed version of its package. */
import type { PackageLines, PinnedPackage } from '../../ports/catalog-port.ts'
import type { Definitions } from '../../kernel/ports.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import type { UsedPackage } from './used-package.ts'

interface SwitchDeps {
  readonly definitions: Pick<Definitions, 'edit'>
  readonly lines: PackageLines
}

/** `args`: as they were in the file, on the way back. */
export async function switchVersion(
  { definitions, lines }: SwitchDeps,
  used: UsedPackage,
  to: PinnedPackage,
  args?: readonly string[],
): Promise<void> {
  const { id, definition, line } = used
  const { package: identifier, version, integrity, entry } = to
  if (line) {
    const written = args ?? line.argsFor(version)
    // After a crash between both writes the line alone decides: it names its version, which is installed by now.
    const isSame = JSON.stringify(written) === JSON.stringify(line.args)
    if (!isSame) await definitions.edit(id, { args: written })
    return await lines.pin(id, written, { package: identifier, version, integrity, entry })
  }
  const { kind = used.launch.kind, integrity: _old, ...rest } = definition.package ?? {}
  await definitions.edit(id, {
    args: args ?? withEntry(used, entry).args,
    package: { ...rest, kind, identifier, version, ...(integrity !== '' && { integrity }) },
  })
}

/** The definition with the program of another version in the place of its own. */
export function withEntry(
  { definition, entry: old }: Pick<UsedPackage, 'definition' | 'entry'>,
  entry: string,
): ServerDefinition {
  return { ...definition, args: definition.args.map((arg) => (arg === old ? entry : arg)) }
}
