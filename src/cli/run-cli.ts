/** The command line: parses the words, calls the API, prints the answer. Contains no logic that the API lacks. */
import { Command, CommanderError } from 'commander'
import type { ExitCode } from '../kernel/error.ts'
import { printable } from '../text/untrusted-text.ts'
import { cancelled } from './ask.ts'
import { addCompletion } from './add-completion.ts'
import type { Context, Surface } from './context.ts'
import { dispatchFlow } from './flow/dispatch.ts'
import { readSpelling } from './flow/spelling.ts'
import { showError } from './show-error.ts'
import { HELP, usageError } from './usage-error.ts'
import { watchOutput } from './watch-output.ts'

/** Runs one command line and returns its exit code. `args` is everything after the program's name. */
export async function runCli(
  args: readonly string[],
  surface: Surface,
  signal: AbortSignal,
): Promise<number> {
  const { terminal } = surface
  const watch = watchOutput(terminal)
  const isJson = args.includes('--json')
  let code: number
  try {
    code = await runWords(args, surface, AbortSignal.any([signal, watch.closed]))
  } catch (error) {
    const isLeft = watch.closed.aborted && isAbort(error)
    code = isLeft ? 0 : showError(terminal, signal.aborted ? calledOff(error) : error, isJson)
  }
  const problem = await watch.problem()
  return problem ? showError(terminal, problem, false) : code
}

async function runWords(
  words: readonly string[],
  surface: Surface,
  signal: AbortSignal,
): Promise<number> {
  let exitCode = 0
  const endWith = (code: ExitCode) => {
    exitCode = code
  }
  const { args, hint } = await readWords(surface, words)
  const program = await createProgram({ surface, signal, endWith }, args)
  if (await addCompletion(program, surface, args)) return 0
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return 0 // `--help` and `--version`
    const isShown = error.code === HELP && !words.includes('--json')
    if (!isShown) throw usageError(error, hint)
    return 2
  }
  return exitCode
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/** A cancelled command reports only its cancellation. */
function calledOff(error: unknown): unknown {
  return isAbort(error) ? cancelled('it was called off') : error
}

interface ReadWords {
  readonly args: readonly string[]
  /** A suggestion of nodes, if the first word is not a command. */
  readonly hint?: string
}

/** Translates older spellings; words that are no command may be a flow. */
async function readWords(surface: Surface, words: readonly string[]): Promise<ReadWords> {
  const { args, note } = readSpelling(words, new Set(namesOf(MCP_GROUPS)))
  if (note !== undefined) surface.terminal.stderr.write(`cordon: note: ${printable(note)}\n`)
  const first = args.findIndex((word) => !word.startsWith('-'))
  const known = new Set([...namesOf(GROUPS), 'help', 'complete', 'completion'])
  if (first < 0 || known.has(args[first] ?? '')) return { args }
  const dispatch = await dispatchFlow(surface, args, first)
  if (dispatch.kind === 'flow') return { args: dispatch.args }
  return { args, ...(dispatch.hint !== undefined && { hint: dispatch.hint }) }
}

/** Adds commands to the program, or to a command of it. */
type Add = (parent: Command, context: Context) => unknown

/** Commands of one module, which is loaded only if one of them is asked for, or all are. */
interface Group {
  /** With aliases. */
  readonly names: readonly string[]
  /** `rest`: the words after the command; undefined: whole, for help, completion and mistyped words. */
  readonly load: (rest: readonly string[] | undefined) => Promise<Add>
}

/** In the order of the help. */
const GROUPS: readonly Group[] = [
  {
    names: ['up', 'status', 'down', 'open', 'chat'],
    load: async () => (await import('./commands/kernel.ts')).addKernelCommands,
  },
  {
    names: ['doctor'],
    load: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  },
  {
    names: ['vault'],
    load: async () => (await import('./commands/vault.ts')).addVaultCommands,
  },
  {
    names: ['audit'],
    load: async () => (await import('./commands/audit.ts')).addAuditCommands,
  },
  {
    names: ['backup', 'restore'],
    load: async () => (await import('./commands/backup.ts')).addBackupCommands,
  },
  {
    names: ['service'],
    load: async () => (await import('./commands/service-unit.ts')).addServiceUnitCommands,
  },
  {
    names: ['connect', 'disconnect'],
    load: async () => (await import('./commands/connect.ts')).addConnectCommands,
  },
  { names: ['mcp'], load: loadMcp },
  {
    names: ['tools'],
    load: async () => (await import('./commands/tools.ts')).addToolsCommands,
  },
  {
    names: ['catalog'],
    load: async () => (await import('./commands/catalog.ts')).addCatalogCommands,
  },
  {
    names: ['channels'],
    load: async () => (await import('./commands/channels.ts')).addChannelCommands,
  },
  {
    names: ['package'],
    load: async () => (await import('./commands/package.ts')).addPackageCommands,
  },
  {
    names: ['registry'],
    load: async () => (await import('./commands/registry.ts')).addRegistryCommands,
  },
  { names: ['run'], load: async () => (await import('./commands/run.ts')).addRunCommand },
  { names: ['ask'], load: async () => (await import('./commands/ask.ts')).addAskCommand },
  { names: ['flow'], load: async () => (await import('./commands/flow.ts')).addFlowCommands },
  { names: ['auth'], load: async () => (await import('./commands/auth.ts')).addAuthCommands },
  {
    names: ['approvals'],
    load: async () => (await import('./commands/approvals.ts')).addApprovalCommands,
  },
  {
    names: ['grants'],
    load: async () => (await import('./commands/grants.ts')).addGrantCommands,
  },
  {
    names: ['client', 'gateway'],
    load: async () => (await import('./commands/clients.ts')).addClientCommands,
  },
  {
    names: ['import', 'install'],
    load: async () => (await import('./commands/import.ts')).addImportCommands,
  },
  {
    names: ['contacts'],
    load: async () => (await import('./commands/contacts.ts')).addContactCommands,
  },
  {
    names: ['context'],
    load: async () => (await import('./commands/contexts.ts')).addContextCommands,
  },
  {
    names: ['policy'],
    load: async () => (await import('./commands/policy.ts')).addPolicyCommands,
  },
  {
    names: ['memory'],
    load: async () => (await import('./commands/memory.ts')).addMemoryCommands,
  },
  {
    names: ['profiles'],
    load: async () => (await import('./commands/profiles.ts')).addProfileCommands,
  },
  {
    names: ['notices'],
    load: async () => (await import('./commands/notices.ts')).addNoticeCommands,
  },
]

const MCP_GROUPS: readonly Group[] = [
  {
    names: ['list', 'status', 'show'],
    load: async () => (await import('./commands/mcp-list.ts')).addMcpListCommands,
  },
  {
    names: [
      ['add', 'edit', 'enable', 'disable', 'remove', 'start', 'stop', 'restart', 'unsandbox'],
      ['forget-told', 'logs', 'tools', 'accept'],
    ].flat(),
    load: async () => (await import('./commands/mcp-life.ts')).addMcpLifeCommands,
  },
  {
    names: ['resources', 'read', 'prompts', 'prompt'],
    load: async () => (await import('./commands/mcp-features.ts')).addFeatureCommands,
  },
  {
    names: ['updates'],
    load: async () => (await import('./commands/mcp-updates.ts')).addUpdatesCommand,
  },
  {
    names: ['upgrade'],
    load: async () => (await import('./commands/mcp-upgrade.ts')).addUpgradeCommand,
  },
  { names: ['call'], load: async () => (await import('./commands/mcp-call.ts')).addCallCommand },
  {
    names: ['migrate', 'undo'],
    load: async () => (await import('./commands/mcp-migrate.ts')).addMovingCommands,
  },
  {
    names: ['export'],
    load: async () => (await import('./commands/mcp-export.ts')).addExportCommand,
  },
  {
    names: ['trust', 'untrust'],
    load: async () => (await import('./commands/mcp-trust.ts')).addTrustCommands,
  },
]

async function loadMcp(rest: readonly string[] | undefined): Promise<Add> {
  const adds = await load(MCP_GROUPS, rest)
  return (program, context) => {
    const mcp = program.command('mcp').description('the servers, and moving them in')
    for (const add of adds) add(mcp, context)
  }
}

/** The group that has the first word that is no option, or all groups if none has. */
async function load(
  groups: readonly Group[],
  words: readonly string[] | undefined,
): Promise<readonly Add[]> {
  const at = words?.findIndex((word) => !word.startsWith('-')) ?? -1
  const asked = groups.find(({ names }) => names.includes(words?.[at] ?? ''))
  if (asked) return [await asked.load(words?.slice(at + 1))]
  return await Promise.all(groups.map((group) => group.load(undefined)))
}

function namesOf(groups: readonly Group[]): readonly string[] {
  return groups.flatMap(({ names }) => names)
}

async function createProgram(context: Context, words: readonly string[]): Promise<Command> {
  const { stdout, stderr } = context.surface.terminal
  const program = new Command('cordon')
    .description('Connects an agent to MCP servers, each behind its own cordon.')
    .version(context.surface.version)
    .option('--json', 'answer with one JSON value')
    .option('--no-daemon', 'do the work in this process, and leave nothing running')
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: () => undefined, // reported by the caller that catches it
    })
    .exitOverride()
  for (const add of await load(GROUPS, words)) add(program, context)
  return program
}
