/**
 * `mcp migrate` and `mcp undo`: imports the servers of another program. Every command line is shown before any of them runs, and at a
 * terminal the person confirms them.
 */
import path from 'node:path'
import type { Command } from 'commander'
import type { Api, Input, Output as Answer } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import type { ImportedServer, ImportReport } from '../../kernel/import-report.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { type Output, printableLine } from '../output.ts'

interface MigrateOptions {
  readonly from: string
  readonly dryRun?: boolean
  readonly backup?: boolean
  readonly replace?: boolean
  readonly yes?: boolean
}

export function addMovingCommands(mcp: Command, context: Context): void {
  addMigrateCommand(mcp, context)
  addUndoCommand(mcp, context)
}

function addMigrateCommand(mcp: Command, context: Context): void {
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

function addUndoCommand(mcp: Command, context: Context): void {
  mcp
    .command('undo')
    .argument('[import]', 'the id that `migrate` printed; without it, the newest')
    .description('take an import back')
    .addHelpText('after', '\nExample:\n  $ cordon mcp undo')
    .action(async (importId: string | undefined, _options: object, command: Command) => {
      const input = importId === undefined ? {} : { importId }
      const report = await withApi(context, command, (api) => api.call('mcp.undo', input))
      const title = `Took import ${report.id} back.`
      outputOf(context, command).answer(report, () => describeImport(report, title))
    })
}

export async function migrate(
  context: Context,
  command: Command,
  request: Input<'mcp.migrate'>,
  yes: boolean,
): Promise<void> {
  const output = outputOf(context, command)
  const { report, started } = await moveIn(context, command, request, yes)
  const answer = report.dryRun ? report : { ...report, started }
  output.answer(answer, () => [
    ...describeImport(report, titleOf(report, path.basename(request.path))),
    ...describeNext(report, started),
  ])
  if (report.servers.length === 0 && report.problems.length > 0) context.endWith(2)
}

interface Started {
  readonly server: string
  readonly tools?: number
  /** Why it does not run, and what to do about it. */
  readonly problem?: string
}

interface MovedIn {
  readonly report: Answer<'mcp.migrate'>
  readonly started: readonly Started[]
}

/** Shows every command line first: an imported server is started at once. */
async function moveIn(
  context: Context,
  command: Command,
  request: Input<'mcp.migrate'>,
  yes: boolean,
): Promise<MovedIn> {
  const { terminal } = context.surface
  const output = outputOf(context, command)
  return await withApi(context, command, async (api) => {
    if (request.dryRun) return { report: await api.call('mcp.migrate', request), started: [] }
    const planned = await api.call('mcp.migrate', { ...request, dryRun: true })
    const launches = planned.servers.flatMap(describeLaunch)
    for (const line of launches) output.note(printableLine(line))
    if (launches.length > 0 && terminal.stdin.isTTY) {
      await confirm(context, `Import ${countOf(launches.length)}?`, yes)
    }
    const report = await api.call('mcp.migrate', request)
    return { report, started: await startImported(api, report, output, context.signal) }
  })
}

/** Starts what can run, which installs its packages, and says how each went as soon as it is known. */
export async function startImported(
  api: Api<'mcp.start'>,
  { servers }: Pick<ImportReport, 'servers'>,
  output: Pick<Output, 'note'>,
  signal: AbortSignal,
): Promise<readonly Started[]> {
  const runnable = servers.filter(
    ({ action, missing }) => missing === undefined && /^(?:created|replaced)$/.test(action),
  )
  if (runnable.length > 0)
    output.note(`Starting ${runnable.map(({ server }) => server).join(', ')} …`)
  return await Promise.all(
    runnable.map(async ({ server, installs }) => {
      if (installs !== undefined) output.note(`${server}: installing ${printableLine(installs)} …`)
      const started = await startOne(api, server, signal)
      output.note(describeStart(started))
      return started
    }),
  )
}

async function startOne(
  api: Api<'mcp.start'>,
  server: string,
  signal: AbortSignal,
): Promise<Started> {
  try {
    return { server, tools: (await api.call('mcp.start', { server }, signal)).tools }
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    return { server, problem: `${error.why ?? error.message}. ${error.hint}` }
  }
}

function describeStart({ server, tools, problem }: Started): string {
  return printableLine(
    problem === undefined ? `${server}: ${tools} ${toolWord(tools)}` : `${server}: ${problem}`,
  )
}

function toolWord(tools: number | undefined): string {
  return tools === 1 ? 'tool' : 'tools'
}

function titleOf({ id, format, dryRun, servers }: ImportReport, name: string): string {
  const from = `${name} (${format})`
  if (dryRun) return `Would import from ${from}; nothing is changed yet:`
  const isNothing = servers.every(({ action }) => action === 'kept')
  return isNothing
    ? `Imported nothing from ${from}:`
    : `Imported from ${from}; \`cordon mcp undo ${id}\` takes it back:`
}

/** How many run, and the one next thing. */
function describeNext(
  { dryRun, servers }: ImportReport,
  started: readonly Started[],
): readonly string[] {
  const wanted = servers.filter(({ action }) => action !== 'kept')
  if (wanted.length === 0) return []
  if (dryRun) return ['Run it without `--dry-run` to import them.']
  const running = started.filter(({ problem }) => problem === undefined)
  const isUp = new Set(running.map(({ server }) => server))
  const others = wanted.filter(({ server }) => !isUp.has(server)).map(({ server }) => server)
  const count = `${running.length} of ${wanted.length} imported servers ${running.length === 1 ? 'runs' : 'run'}.`
  if (others.length === 0) return [count]
  return [`${count} Not yet: ${others.join(', ')}; \`cordon mcp list\` says why.`]
}

function countOf(servers: number): string {
  return servers === 1 ? 'this server' : `these ${servers} servers`
}

function describeLaunch({ server, runs, installs, missing }: ImportedServer): readonly string[] {
  if (runs === undefined) return []
  if (missing !== undefined) return [`${server} is kept for later (${runs}). ${missing}`]
  return [`${server} runs: ${runs}${installed(installs)}`]
}

function installed(installs: string | undefined): string {
  return installs === undefined ? '' : ` (it installs ${installs}, in its sandbox)`
}

function describeImport(report: ImportReport, title: string): readonly string[] {
  const { dryRun } = report
  const servers = report.servers.flatMap((server) => [
    `  ${server.server}: ${dryRun ? wouldBe(server) : server.action} ${server.path}`,
    ...(dryRun ? describeFuture(server) : []),
    ...server.movedSecrets.map(
      (name) => `    a token in plain text ${dryRun ? 'would go' : 'went'} to the vault as ${name}`,
    ),
    ...server.notes.map((note) => `    ${note}`),
    ...(server.missing === undefined ? [] : [`    missing: ${server.missing}`]),
  ])
  const problems = report.problems.map(
    ({ path: file, line, message }) => `  problem: ${file}:${line ?? 1}: ${message}`,
  )
  return [title, ...servers, ...problems, ...report.notes].map(printableLine)
}

function wouldBe({ action }: ImportedServer): string {
  return action === 'kept' ? 'would stay as it is:' : `would be ${action}`
}

function describeFuture({
  runs,
  installs,
  hosts = [],
  missing,
}: ImportedServer): readonly string[] {
  const verb = missing === undefined ? 'would run' : 'would run, once nothing is missing'
  return [
    ...(runs === undefined ? [] : [`    ${verb}: ${runs}`]),
    ...(installs === undefined ? [] : [`    would install: ${installs}, in its sandbox`]),
    ...(hosts.length === 0 ? [] : [`    could reach: ${hosts.join(', ')}`]),
  ]
}
