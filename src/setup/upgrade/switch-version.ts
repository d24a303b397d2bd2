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
    if (!isSame) await definitions.edit(id, { args: written, ...imageOf(used, to) })
    return await lines.pin(id, written, { package: identifier, version, integrity, entry })
  }
  const own = used.launch.kind === 'image' ? 'docker' : used.launch.kind
  const { kind = own, integrity: _old, ...rest } = definition.package ?? {}
  await definitions.edit(id, {
    args: args ?? atVersion(used, to).args,
    package: { ...rest, kind, identifier, version, ...(integrity !== '' && { integrity }) },
  })
}

/** A connected image is named twice in its file: in its line, and as its package. */
function imageOf(
  { launch }: UsedPackage,
  { package: identifier, version, integrity }: PinnedPackage,
): Pick<ServerDefinition, 'package'> {
  return launch.kind === 'image'
    ? { package: { kind: 'docker', identifier, version, integrity } }
    : {}
}

/** The definition with the program of another version in the place of its own. */
export function atVersion(
  { definition, entry: old, launch, line }: UsedPackage,
  to: PinnedPackage,
): ServerDefinition {
  if (launch.kind === 'image' && line) return line.startsAs(to)
  const { entry } = to
  return { ...definition, args: definition.args.map((arg) => (arg === old ? entry : arg)) }
}
