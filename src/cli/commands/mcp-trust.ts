/**
 * `mcp trust|untrust`: lets a project bring its own servers. Shows what would run before it asks, and trusts exactly
 * the bytes that were shown. Never trusts without an answer, or the flag that stands for one.
 */
import path from 'node:path'
import type { Command } from 'commander'
import type { ProjectServer, ProjectView } from '../../kernel/project-view.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { printableLine } from '../output.ts'

interface TrustOptions {
  readonly yes?: boolean
  readonly insteadOfMine?: readonly string[]
}

export function addTrustCommands(mcp: Command, context: Context): void {
  const folderOf = (given?: string) => path.resolve(context.surface.workingFolder, given ?? '.')
  mcp
    .command('trust')
    .argument('[folder]', 'a project folder with .cordon/mcp in it; this one without')
    .description('show the servers a project brings, and let them run there while they stay so')
    .option('-y, --yes', 'trust what is shown, without being asked')
    .option('--instead-of-mine <server...>', 'use these instead of yours of the same name, there')
    .addHelpText('after', '\nExample:\n  $ cordon mcp trust ~/work/website')
    .action(async (given: string | undefined, options: TrustOptions, command: Command) => {
      await trust(context, command, folderOf(given), options)
    })
  mcp
    .command('untrust')
    .argument('[folder]')
    .description('take that back, and stop its servers')
    .addHelpText('after', '\nExample:\n  $ cordon mcp untrust')
    .action(async (given: string | undefined, _options: object, command: Command) => {
      const folder = folderOf(given)
      await withApi(context, command, (api) => api.call('mcp.untrust', { folder }))
      outputOf(context, command).answer({ folder }, () => [`${folder} is no longer trusted.`])
    })
}

async function trust(
  context: Context,
  command: Command,
  folder: string,
  { yes = false, insteadOfMine: instead = [] }: TrustOptions,
): Promise<void> {
  const output = outputOf(context, command)
  await withApi(context, command, async (api) => {
    const project = await api.call('mcp.project', { folder })
    if (output.json && !yes) return showOnly(context, command, project)
    if (!output.json) for (const line of describeProject(project, instead)) output.note(line)
    await confirm(context, questionFor(project), yes)
    await api.call('mcp.trust', { folder, seen: project.hash, instead })
    output.answer({ ...project, instead, isTrusted: true }, () => [
      printableLine(`${project.folder} is trusted, as long as these files stay as they are.`),
    ])
  })
}

/** A program reads what would be trusted, and says `--yes` in a second call. */
function showOnly(context: Context, command: Command, project: ProjectView): void {
  const output = outputOf(context, command)
  output.answer(project, () => [])
  output.note('cordon: hint: Nothing was trusted; add `--yes` to trust what is shown')
  context.endWith(2)
}

function questionFor({ servers }: ProjectView): string {
  const count = servers.length === 1 ? 'this server' : `these ${servers.length} servers`
  return `Let ${count} run when you work in this folder?`
}

export function describeProject(
  { folder, isTrusted, servers, problems }: ProjectView,
  instead: readonly string[],
): readonly string[] {
  return [
    `${folder} brings:${isTrusted ? ' (trusted, as it is)' : ''}`,
    ...servers.flatMap((server) => describeServer(server, instead.includes(server.server))),
    ...problems.map(({ path: file, line, message }) => {
      return `  not used: ${file}${line === undefined ? '' : `:${line}`}: ${message}`
    }),
    '  The files of its programs may change later; only these definitions are pinned.',
  ].map(printableLine)
}

function describeServer(server: ProjectServer, isPreferred: boolean): readonly string[] {
  const rows = [
    ['runs', server.runs],
    ['sets', server.settings.join(', ')],
    ['may reach', server.hosts.join(', ') || 'nothing'],
    ['reads', server.readPaths.join(', ')],
    ['writes', server.writePaths.join(', ')],
    ['borrows', server.secrets.map(({ key, ref }) => `${key} = ${ref}`).join(', ')],
    ['beside yours', describeNamesake(server, isPreferred)],
    ...server.warnings.map((warning) => ['warning', warning]),
  ]
  return [
    `  ${server.server} (${server.transport}, ${server.path})`,
    ...rows.filter(([, text]) => text !== '').map(([name, text]) => `    ${name}: ${text}`),
  ]
}

function describeNamesake({ server, hides }: ProjectServer, isPreferred: boolean): string {
  if (hides === undefined) return ''
  return isPreferred
    ? `it would HIDE ${hides}, your own server of this name, in this folder`
    : `your own ${hides} stays in use; \`--instead-of-mine ${server}\` would use this one here`
}
