/** The command line: parses the words, calls the API, prints the answer. Contains no logic that the API lacks. */
import { Command, CommanderError } from 'commander'
import { addApprovalCommands } from './commands/approvals.ts'
import { addAskCommand } from './commands/ask.ts'
import { addAuditCommands } from './commands/audit.ts'
import { addAuthCommands } from './commands/auth.ts'
import { addBackupCommands } from './commands/backup.ts'
import { addCatalogCommands } from './commands/catalog.ts'
import { addChannelCommands } from './commands/channels.ts'
import { addConnectCommands } from './commands/connect.ts'
import { addClientCommands } from './commands/clients.ts'
import { addContactCommands } from './commands/contacts.ts'
import { addContextCommands } from './commands/contexts.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addImportCommands } from './commands/import.ts'
import { addFlowCommands } from './commands/flow.ts'
import { addGrantCommands } from './commands/grants.ts'
import { addKernelCommands } from './commands/kernel.ts'
import { addMcpCommands, addMovingCommands } from './commands/mcp.ts'
import { addCallCommand } from './commands/mcp-call.ts'
import { addMemoryCommands } from './commands/memory.ts'
import { addNoticeCommands } from './commands/notices.ts'
import { addPackageCommands } from './commands/package.ts'
import { addPolicyCommands } from './commands/policy.ts'
import { addProfileCommands } from './commands/profiles.ts'
import { addRegistryCommands } from './commands/registry.ts'
import { addRunCommand } from './commands/run.ts'
import { addServiceUnitCommands } from './commands/service-unit.ts'
import { addToolsCommands } from './commands/tools.ts'
import { addVaultCommands } from './commands/vault.ts'
import { CordonError, type ExitCode } from '../kernel/error.ts'
import { printable } from '../text/untrusted-text.ts'
import { cancelled } from './ask.ts'
import { COMPLETION_SCRIPTS, type Shell } from './completion-scripts.ts'
import type { Context, GlobalOptions } from './context.ts'
import { completeNodes } from './flow/complete-nodes.ts'
import { dispatchFlow } from './flow/dispatch.ts'
import { readSpelling } from './flow/spelling.ts'
import { showJson } from './output.ts'
import { showError } from './show-error.ts'
import type { Surface } from './context.ts'
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
  const program = createProgram({ surface, signal, endWith })
  if (await addCompletion(program, surface, words)) return 0
  const { args, hint } = await readWords(program, surface, words)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return 0 // `--help` and `--version`
    const isShown = error.code === HELP && !words.includes('--json')
    if (!isShown) throw usage(error, hint)
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
async function readWords(
  program: Command,
  surface: Surface,
  words: readonly string[],
): Promise<ReadWords> {
  const mcp = program.commands.find((command) => command.name() === 'mcp')
  const { args, note } = readSpelling(words, new Set(mcp ? namesOf(mcp) : []))
  if (note !== undefined) surface.terminal.stderr.write(`cordon: note: ${printable(note)}\n`)
  const first = args.findIndex((word) => !word.startsWith('-'))
  const known = new Set([...namesOf(program), 'help', 'complete'])
  if (first < 0 || known.has(args[first] ?? '')) return { args }
  const dispatch = await dispatchFlow(surface, args, first)
  if (dispatch.kind === 'flow') return { args: dispatch.args }
  return { args, ...(dispatch.hint !== undefined && { hint: dispatch.hint }) }
}

function namesOf(command: Command): readonly string[] {
  return command.commands.flatMap((one) => [one.name(), ...one.aliases()])
}

function createProgram(context: Context): Command {
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
  addKernelCommands(program, context)
  addDoctorCommand(program, context)
  addVaultCommands(program, context)
  addAuditCommands(program, context)
  addBackupCommands(program, context)
  addServiceUnitCommands(program, context)
  addConnectCommands(program, context)
  const mcp = addMcpCommands(program, context)
  addCallCommand(mcp, context)
  addMovingCommands(mcp, context)
  addToolsCommands(program, context)
  addCatalogCommands(program, context)
  addChannelCommands(program, context)
  addPackageCommands(program, context)
  addRegistryCommands(program, context)
  addRunCommand(program, context)
  addAskCommand(program, context)
  addFlowCommands(program, context)
  addAuthCommands(program, context)
  addApprovalCommands(program, context)
  addGrantCommands(program, context)
  addClientCommands(program, context)
  addImportCommands(program, context)
  addContactCommands(program, context)
  addContextCommands(program, context)
  addPolicyCommands(program, context)
  addMemoryCommands(program, context)
  addProfileCommands(program, context)
  addNoticeCommands(program, context)
  return program
}

/** commander's code for having shown the help because no command was named. */
const HELP = 'commander.help'

/** `hint` suggests nodes, and is used if commander has no suggestion of its own. */
function usage({ code, message }: CommanderError, hint: string | undefined): CordonError {
  const [, problem = message, near] =
    /^error: (.*?)(?:\n\((Did you mean .*)\))?$/s.exec(message) ?? []
  const what = code === HELP ? 'a command is missing' : withoutValues(problem)
  const spec = { exit: 2, hint: near || hint || hintFor(what) } as const
  return new CordonError('cli.arguments', spec, what)
}

function hintFor(what: string): string {
  return what.startsWith('too many arguments')
    ? 'Type a secret when asked, or pipe it in; see `--help`'
    : 'Add `--help` to see what it takes'
}

/** Drops the surplus values from the message: one may be a secret that was put on the command line. */
function withoutValues(problem: string): string {
  return problem
    .replace(/^(too many arguments[^:]*):.*$/s, '$1')
    .replace(/^(unknown option '[^=]*)=.*$/s, "$1'")
}

/** Loads the completion library only for completion, so that others start faster. True if all output is written. */
async function addCompletion(
  program: Command,
  surface: Surface,
  [word, ...rest]: readonly string[],
): Promise<boolean> {
  if (word === 'complete') {
    const { default: addTab } = await import('@bomb.sh/tab/commander')
    const tab = addTab(program, { completionCommandName: 'completion' })
    return await completeNodes(tab, surface, rest)
  }
  program
    .command('completion')
    .addArgument(program.createArgument('<shell>').choices(Object.keys(COMPLETION_SCRIPTS)))
    .description('print a completion script')
    .addHelpText('after', '\nExample:\n  $ source <(cordon completion bash)')
    .action((shell: Shell, _options: object, command: Command) => {
      const script = COMPLETION_SCRIPTS[shell]
      const { json } = command.optsWithGlobals<GlobalOptions>()
      surface.terminal.stdout.write(json ? `${showJson({ shell, script })}\n` : script)
    })
  return false
}
