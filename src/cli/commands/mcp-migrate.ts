/**
 * `mcp migrate`: imports the servers of another program. Every command line is shown before any of them runs, and at a
 * terminal the person confirms them.
 */
import path from 'node:path'
import type { Command } from 'commander'
import type { Input, Output as Answer } from '../../api/contract.ts'
import type { ImportedServer, ImportReport } from '../../kernel/import-report.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { printableLine } from '../output.ts'

interface MigrateOptions {
  readonly from: string
  readonly dryRun?: boolean
  readonly backup?: boolean
  readonly replace?: boolean
  readonly yes?: boolean
}

export function addMigrateCommand(mcp: Command, context: Context): void {
  mcp
    .command('migrate')
    .description('move the servers of another program in; tokens go to the vault')
    .requiredOption('--from <path>', 'its configuration: mcp.json, config.json, TOML or a folder')
    .option('--dry-run', 'only show what would happen')
    .option('--backup', 'keep the original, encrypted in the vault')
    .option('--replace', 'replace servers of the same name')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  $ cordon mcp migrate --from ~/.cursor/mcp.json --dry-run')
    .action(async (options: MigrateOptions, command: Command) => {
      const request = {
        path: path.resolve(context.surface.workingFolder, options.from),
        dryRun: options.dryRun === true,
        backup: options.backup === true,
        replace: options.replace === true,
      }
      await migrate(context, command, request, options.yes === true)
    })
}

export async function migrate(
  context: Context,
  command: Command,
  request: Input<'mcp.migrate'>,
  yes: boolean,
): Promise<void> {
  const report = await moveIn(context, command, request, yes)
  outputOf(context, command).answer(report, () => describeImport(report))
  if (report.servers.length === 0 && report.problems.length > 0) context.endWith(2)
}

/** Shows every command line first: an imported server may start at once. */
async function moveIn(
  context: Context,
  command: Command,
  request: Input<'mcp.migrate'>,
  yes: boolean,
): Promise<Answer<'mcp.migrate'>> {
  const { terminal } = context.surface
  return await withApi(context, command, async (api) => {
    if (request.dryRun) return await api.call('mcp.migrate', request)
    const planned = await api.call('mcp.migrate', { ...request, dryRun: true })
    const launches = planned.servers.flatMap(describeLaunch)
    for (const line of launches) outputOf(context, command).note(printableLine(line))
    if (launches.length > 0 && terminal.stdin.isTTY) {
      await confirm(context, `Import ${countOf(launches.length)}?`, yes)
    }
    return await api.call('mcp.migrate', request)
  })
}

function countOf(servers: number): string {
  return servers === 1 ? 'this server' : `these ${servers} servers`
}

function describeLaunch({ server, runs }: ImportedServer): readonly string[] {
  return runs === undefined ? [] : [`${server} runs: ${runs}`]
}

export function describeImport(report: ImportReport): readonly string[] {
  const title = `${report.dryRun ? 'Would import' : 'Import'} ${report.id} (${report.format})`
  const servers = report.servers.flatMap((server) => [
    `  ${server.server}: ${server.action} ${server.path}`,
    ...(report.dryRun && server.runs !== undefined ? [`    would run: ${server.runs}`] : []),
    ...server.movedSecrets.map((name) => `    a token in plain text went to the vault as ${name}`),
    ...server.notes.map((note) => `    ${note}`),
  ])
  const problems = report.problems.map(
    ({ path: file, line, message }) => `  problem: ${file}:${line ?? 1}: ${message}`,
  )
  return [title, ...servers, ...problems, ...report.notes].map(printableLine)
}
