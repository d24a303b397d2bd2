/**
 * `import` and `install`: move the servers of other programs in, and let those programs use them through Cordon. The
 * whole plan is shown before anything changes, and the new start line is tried before the command says that it is done.
 */
import type { Command } from 'commander'
import type { Api, Output as Answer } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import type {
  ClientAt,
  ClientMove,
  ClientPlan,
  ClientUndo,
  FoundClient,
} from '../../ports/client-import-port.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { type Output, printableLine } from '../output.ts'
import { describeClientPlan } from './import-view.ts'
import { startImported } from './mcp-migrate.ts'

type ImportApi = Api<
  | 'imports.list'
  | 'imports.plan'
  | 'imports.move'
  | 'imports.finish'
  | 'imports.undo'
  | 'mcp.start'
  | 'ping'
>

interface ImportOptions {
  readonly project?: boolean
  readonly dryRun?: boolean
  readonly undo?: boolean
  readonly keepChanges?: boolean
  readonly yes?: boolean
}

const CLIENTS = 'claude-desktop, claude-code, cursor, vscode, windsurf, cline, gemini or codex'

export function addImportCommands(program: Command, context: Context): void {
  program
    .command('import')
    .argument('[client]', `${CLIENTS}; all that are here if left out`)
    .option('--dry-run', 'only show what would happen')
    .option('--project', 'the files of the project in this folder: .mcp.json, .cursor and .vscode')
    .option('--undo', 'restore the configuration of the client as it was, byte for byte')
    .option('--keep-changes', 'with --undo: leave what was changed in the file since')
    .option('-y, --yes', 'do not ask')
    .description('move the servers of your MCP clients in, and connect the clients to Cordon')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon import --dry-run\n  $ cordon import cursor\n  $ cordon import cursor --undo\n  $ cordon import --project',
    )
    .action(async (client: string | undefined, options: ImportOptions, command: Command) => {
      await withApi(context, command, async (api) => {
        const act = options.undo ? undoAll : importAll
        await act({ context, output: outputOf(context, command), api, options }, client)
      })
    })
  program
    .command('install')
    .argument('<client>', CLIENTS)
    .option('--dry-run', 'only show what would happen')
    .option('-y, --yes', 'do not ask')
    .description('connect a client to Cordon; its servers, if it has any, move in')
    .addHelpText('after', '\nExample:\n  $ cordon install cursor')
    .action(async (client: string, options: ImportOptions, command: Command) => {
      await withApi(context, command, (api) =>
        importAll({ context, output: outputOf(context, command), api, options }, client),
      )
    })
}

interface Work {
  readonly context: Context
  readonly output: Output
  readonly api: ImportApi
  readonly options: ImportOptions
}

type Started = Awaited<ReturnType<typeof startImported>>

interface Imported {
  readonly plan: ClientPlan
  readonly started: Started
  /** Listed through the client's own start line. */
  readonly tools?: number
}

async function importAll(work: Work, client: string | undefined): Promise<void> {
  const { context, output, api, options } = work
  const named = client === undefined ? await clientsHere(work) : [{ client }]
  const plans = await Promise.all(named.map((of) => api.call('imports.plan', of)))
  if (options.dryRun) {
    output.answer({ dryRun: true, clients: plans }, () => linesFor(plans, true))
    return
  }
  for (const line of linesFor(plans, true)) output.note(line)
  const open = plans.filter(({ isDone }) => !isDone)
  if (open.length > 0) await confirm(context, questionFor(open), options.yes === true)
  const done: Imported[] = []
  for (const plan of open) done.push(await importOne(work, plan))
  output.answer({ dryRun: false, clients: done }, () => describeDone(done))
}

/** Clients whose file exists and can be read; what is wrong with the others is told, and so are files of the project. */
async function clientsHere({ context, api, output, options }: Work): Promise<readonly ClientAt[]> {
  const folder = context.surface.workingFolder
  const { clients } = await api.call('imports.list', { folder })
  for (const { problem } of clients) if (problem !== undefined) output.note(printableLine(problem))
  const readable = clients.filter(({ exists, problem }) => exists && problem === undefined)
  const ofProject = readable.filter(({ isOfProject }) => isOfProject)
  if (options.project && ofProject.length > 0) {
    return ofProject.map(({ id: client }) => ({ client, folder }))
  }
  if (options.project) throw noProjectFiles(folder)
  for (const line of ofProject.flatMap(aboutProject)) output.note(printableLine(line))
  const here = readable.filter(({ isOfProject }) => !isOfProject)
  if (here.length > 0) return here.map(({ id: client }) => ({ client }))
  throw new CordonError(
    'cli.no-clients',
    { exit: 2, hint: 'Name one to connect it: `cordon install cursor`' },
    'Cannot find the configuration of an MCP client here',
  )
}

/** A file of the project is everybody's, so it is shown, and moved only when it is asked for. */
function aboutProject({ path, servers, risks }: FoundClient): readonly string[] {
  if (servers.length === 0) return []
  return [
    [`${path} starts ${servers.join(', ')} around Cordon`, ...risks].join('; '),
    '  It belongs to the project: move it in with `cordon import --project`',
  ]
}

function noProjectFiles(folder: string): CordonError {
  return new CordonError(
    'cli.no-clients',
    {
      exit: 2,
      hint: 'Change to the folder of a project with .mcp.json, .cursor/mcp.json or .vscode/mcp.json',
    },
    `Cannot find servers of a project in ${JSON.stringify(folder)}`,
  )
}

async function importOne(work: Work, plan: ClientPlan): Promise<Imported> {
  const { context, output, api } = work
  const { client, name, seen, isOfProject } = plan
  const at = { client, ...(isOfProject && { folder: context.surface.workingFolder }) }
  const moved = await api.call('imports.move', { ...at, seen })
  const asked = { servers: asImported(moved) }
  const started = await startImported(api, asked, output, context.signal).catch(
    async (error: unknown) => {
      // Ctrl-C: the file names Cordon already, and nobody has tried that line.
      const isBack = api.call('imports.undo', { ...at, merge: false })
      await tellState(work, plan, isBack)
      throw error
    },
  )
  output.note(`${name}: trying its own start line …`)
  try {
    const { tools } = await api.call('imports.finish', at, context.signal)
    output.note(`${name}: connected, ${tools} tools`)
    return { plan: moved, started, tools }
  } catch (error) {
    await tellState(work, plan, checkBack(work, plan))
    throw error
  }
}

/** The kernel takes a move back whose line does not work, if it still runs and the file is the one that it wrote. */
async function checkBack({ context, api }: Work, { client, isOfProject }: ClientPlan) {
  const at = isOfProject ? { folder: context.surface.workingFolder } : {}
  const { clients } = await api.call('imports.list', at)
  if (clients.some(({ id, isConnected }) => id === client && isConnected)) throw new Error(client)
}

async function tellState(
  { output }: Work,
  { client, name, isOfProject }: ClientPlan,
  isBack: Promise<unknown>,
): Promise<void> {
  const undo = `cordon import ${isOfProject ? '--project' : client} --undo`
  await isBack.then(
    () => output.note(`${name}: everything is as it was before`),
    () => output.note(`${name}: its file starts Cordon now; take it back with \`${undo}\``),
  )
}

function asImported({ startable }: ClientMove): Parameters<typeof startImported>[1]['servers'] {
  const fresh = { path: '', action: 'created', movedSecrets: [], notes: [] } as const
  return startable.map((one) => ({ ...fresh, ...one }))
}

async function undoAll(work: Work, client: string | undefined): Promise<void> {
  const { context, output, api, options } = work
  const at = options.project ? { folder: context.surface.workingFolder } : {}
  const { clients } = await api.call('imports.list', at)
  const isMeant = ({ canUndo, isOfProject }: FoundClient): boolean =>
    canUndo && (isOfProject === true) === (options.project === true)
  const moved = clients.filter(isMeant).map(({ id }) => id)
  const named = client === undefined ? moved : [client]
  if (named.length === 0) throw nothingToUndo()
  const undone: Answer<'imports.undo'>[] = []
  for (const of of named) {
    const merge = options.keepChanges === true
    undone.push(await api.call('imports.undo', { ...at, client: of, merge }))
  }
  output.answer({ undone }, () => undone.flatMap(describeUndo))
}

function nothingToUndo(): CordonError {
  return new CordonError(
    'clients.no-import',
    { exit: 2, hint: 'Run `cordon import --dry-run` to see the clients and their state' },
    'Cannot undo an import: there is none',
  )
}

function describeUndo({ client, told, servers, notes }: ClientUndo): readonly string[] {
  return [
    `${client}: ${told}`,
    ...servers.map(({ server, action }) => `  ${server}: ${action}`),
    ...notes.map((note) => `  ${note}`),
  ].map(printableLine)
}

function linesFor(plans: readonly ClientPlan[], isFuture: boolean): readonly string[] {
  return plans.flatMap((plan) => describeClientPlan(plan, isFuture))
}

function questionFor(open: readonly ClientPlan[]): string {
  return `Change the configuration of ${open.map(({ name }) => name).join(', ')}?`
}

function describeDone(done: readonly Imported[]): readonly string[] {
  if (done.length === 0) return ['Nothing is left to move.']
  return done.flatMap(({ plan, started, tools }) => {
    const failed = started.filter(({ problem }) => problem !== undefined)
    return [
      `${plan.name} is connected: ${tools} tools through Cordon. Restart it to see them.`,
      ...failed.map(({ server, problem }) => printableLine(`  ${server}: ${problem}`)),
      `  Take it back: cordon import ${plan.isOfProject ? '--project' : plan.client} --undo`,
    ]
  })
}
