/** `package …`: what `connect` installed, and removing what no server uses any more. */
import type { Command } from 'commander'
import type { Output } from '../../api/contract.ts'
import type { PackageView } from '../../api/packages.ts'
import { isUnused } from '../../text/is-unused.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { columns, printableLine } from '../output.ts'

export function addPackageCommands(program: Command, context: Context): void {
  const group = program
    .command('package')
    .description('installed packages, and the space they take')
  group
    .command('list')
    .description('list them: size, and which servers use them')
    .addHelpText('after', '\nExample:\n  $ cordon package list')
    .action(async (_options: object, command: Command) => {
      const answer = await list(context, command)
      outputOf(context, command).answer(answer, () => describe(answer))
    })
  group
    .command('prune')
    .description('remove those that no server uses; connecting one again installs it anew')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  $ cordon package prune')
    .action(async (options: { readonly yes?: boolean }, command: Command) => {
      await prune(context, command, options.yes === true)
    })
}

async function list(context: Context, command: Command): Promise<Output<'packages.list'>> {
  const { workingFolder } = context.surface
  return await withApi(context, command, (api) => api.call('packages.list', { workingFolder }))
}

async function prune(context: Context, command: Command, isSure: boolean): Promise<void> {
  const output = outputOf(context, command)
  const unused = (await list(context, command)).packages.filter(isUnused)
  if (unused.length === 0) {
    return output.answer({ removed: [], bytes: 0 }, () => ['Every package is in use.'])
  }
  if (!output.json) for (const line of rows(unused)) output.note(line)
  await confirm(context, `Remove ${packages(unused.length)} (${megabytes(sum(unused))})?`, isSure)
  const { workingFolder } = context.surface
  const names = unused.map(({ name }) => name)
  const done = await withApi(context, command, (api) =>
    api.call('packages.prune', { names, workingFolder }),
  )
  output.answer(done, () => [
    `Removed ${packages(done.removed.length)}: ${megabytes(done.bytes)} are free again.`,
  ])
}

function describe({ packages: all }: Output<'packages.list'>): readonly string[] {
  if (all.length === 0) return ['No package is installed.']
  const unused = all.filter(isUnused)
  const total = `${packages(all.length)}, ${megabytes(sum(all))}.`
  const rest = `${megabytes(sum(unused))} in no use: \`cordon package prune\` removes them.`
  return [...rows(all), unused.length > 0 ? `${total} ${rest}` : total]
}

function rows(all: readonly PackageView[]): readonly string[] {
  return columns([
    ['FOLDER', 'PACKAGE', 'SIZE', 'USED BY'],
    ...all.map((one) =>
      [one.name, one.package ?? '(damaged)', megabytes(one.bytes), usersOf(one)].map(printableLine),
    ),
  ])
}

function usersOf({ usedBy, kept }: PackageView): string {
  return usedBy.length > 0 ? usedBy.join(', ') : kept === undefined ? 'no server' : `(${kept})`
}

function packages(count: number): string {
  return count === 1 ? '1 package' : `${count} packages`
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`
}

function sum(all: readonly PackageView[]): number {
  return all.reduce((bytes, one) => bytes + one.bytes, 0)
}
