/** The command line: reads the words, asks the API, prints the answer. Contains no logic that the API lacks. */
import { Command, CommanderError } from 'commander'
import { addApprovalCommands } from './commands/approvals.ts'
import { addAuditCommands } from './commands/audit.ts'
import { addAuthCommands } from './commands/auth.ts'
import { addCatalogCommands } from './commands/catalog.ts'
import { addConnectCommands } from './commands/connect.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addFlowCommands } from './commands/flow.ts'
import { addGrantCommands } from './commands/grants.ts'
import { addKernelCommands } from './commands/kernel.ts'
import { addMcpCommands } from './commands/mcp.ts'
import { addRegistryCommands } from './commands/registry.ts'
import { addRunCommand } from './commands/run.ts'
import { addToolsCommands } from './commands/tools.ts'
import { addVaultCommands } from './commands/vault.ts'
import type { ExitCode } from '../kernel/error.ts'
import { printable } from '../kernel/foreign-words.ts'
import type { Context } from './context.ts'
import { completeNodes } from './flow/complete-nodes.ts'
import { dispatchFlow } from './flow/dispatch.ts'
import { readSpelling } from './flow/older-spellings.ts'
import { showError } from './show-error.ts'
import type { Surface } from './surface.ts'

/** Runs one command line and returns its exit code. `args` is everything after the program's name. */
export async function runCli(
  args: readonly string[],
  surface: Surface,
  signal: AbortSignal,
): Promise<number> {
  let exitCode = 0
  const endWith = (code: ExitCode) => {
    exitCode = code
  }
  const context: Context = { surface, signal, endWith }
  const program = createProgram(context)
  let hint: string | undefined
  try {
    if (await addCompletion(program, surface, args)) return 0
    const read = await readWords(program, surface, args)
    hint = read.hint
    await program.parseAsync(read.args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      return showError(surface.terminal, error, args.includes('--json'))
    }
    // commander has already said what was wrong with the words; its code 0 is `--help` and `--version`.
    if (hint !== undefined) surface.terminal.stderr.write(`cordon: hint: ${printable(hint)}\n`)
    return error.exitCode === 0 ? 0 : 2
  }
}

interface ReadWords {
  readonly args: readonly string[]
  /** Which nodes may have been meant, where it is no command. */
  readonly hint?: string
}

/** Older spellings become ours; words that are no command of ours may be a flow. */
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
      outputError: (text, write) => write(text.replace(/^error: (.*?)\n?$/s, sayUsage)),
    })
    .exitOverride()
  addKernelCommands(program, context)
  addDoctorCommand(program, context)
  addVaultCommands(program, context)
  addAuditCommands(program, context)
  addConnectCommands(program, context)
  addMcpCommands(program, context)
  addToolsCommands(program, context)
  addCatalogCommands(program, context)
  addRegistryCommands(program, context)
  addRunCommand(program, context)
  addFlowCommands(program, context)
  addAuthCommands(program, context)
  addApprovalCommands(program, context)
  addGrantCommands(program, context)
  return program
}

function sayUsage(_all: string, problem: string): string {
  const [what = '', ...suggestion] = problem.split('\n')
  const hint = suggestion.join(' ').replace(/^\(|\)$/g, '')
  // What there was too much of is not repeated: it may be a secret that someone put on the command line.
  if (what.startsWith('too many arguments')) {
    return usage(what.replace(/:.*$/, ''), 'Type a secret when asked, or pipe it in; see `--help`')
  }
  return usage(what, hint || 'Add `--help` to see what it takes')
}

function usage(problem: string, hint: string): string {
  return `cordon: error: ${problem}\ncordon: hint: ${hint}\n`
}

/** The completion library is loaded only by those who ask for it: the others start faster. True where all is said. */
async function addCompletion(
  program: Command,
  surface: Surface,
  [word, ...rest]: readonly string[],
): Promise<boolean> {
  if (word === 'completion' || word === 'complete') {
    const { default: addTab } = await import('@bomb.sh/tab/commander')
    const tab = addTab(program, { completionCommandName: 'completion' })
    return word === 'complete' && (await completeNodes(tab, surface, rest))
  }
  program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .description('print a completion script')
    .addHelpText('after', '\nExample:\n  $ source <(cordon completion bash)')
  return false
}
