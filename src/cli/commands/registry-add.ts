/** `registry add-mcp`: a definition by hand, with all tools of its server or only those that are named. */
import type { Command } from 'commander'
import type { DefinitionChanges } from '../../kernel/definition-change.ts'
import { CordonError } from '../../kernel/error.ts'
import type { TransportKind } from '../../kernel/server-definition.ts'
import { commandWords } from '../../text/command-words.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { describeServer } from './mcp-view.ts'

interface AddOptions {
  readonly server: string
  readonly tool?: readonly string[]
  readonly command?: string
  readonly url?: string
  readonly transport?: TransportKind
}

export function addServerCommand(registry: Command, context: Context): void {
  registry
    .command('add-mcp')
    .description('write a definition by hand (like `cordon mcp add`)')
    .requiredOption('--server <name>')
    .option('--command <line>', 'the program and its arguments')
    .option('--url <url>', 'of a remote server, instead of a command')
    .option('--tool <tool...>', 'only these tools; the others are switched off')
    .option('--transport <kind>', 'stdio, uds, pipe, sse or stream-http')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon registry add-mcp --server github --tool search_code --command mcp-github\n  $ cordon registry add-mcp --server docs --url https://docs.example.com/mcp',
    )
    .action(async (options: AddOptions, command: Command) => {
      const { server } = options
      const changes = changesFrom(options)
      const details = await withApi(context, command, (api) =>
        api.call('mcp.add', { server, changes }),
      )
      outputOf(context, command).answer(details, () => [
        ...describeServer(details),
        ...onlyLines(options),
      ])
    })
}

function changesFrom({ tool, command, url, transport }: AddOptions): DefinitionChanges {
  if ((command === undefined) === (url === undefined)) throw noLaunch()
  const launch = command === undefined ? { url: url ?? '' } : programFrom(command)
  return {
    ...launch,
    transport: transport ?? (command === undefined ? 'stream-http' : 'stdio'),
    ...(tool && { ownTools: only(tool) }),
  }
}

function only(tools: readonly string[]): NonNullable<DefinitionChanges['ownTools']> {
  const on = tools.map((name) => [name, { enabled: true }] as const)
  return { '*': { enabled: false }, ...Object.fromEntries(on) }
}

function onlyLines({ server, tool }: AddOptions): readonly string[] {
  if (!tool) return []
  return [
    `Only ${tool.join(', ')} can be called; \`cordon tools enable ${server}.TOOL\` adds another.`,
  ]
}

function programFrom(line: string): DefinitionChanges {
  const words = commandWords(line)
  if (typeof words === 'string' || words.length === 0) throw unreadable()
  const [command = '', ...args] = words
  return { command, args }
}

function noLaunch(): CordonError {
  return new CordonError(
    'cli.arguments',
    { exit: 2, hint: 'Give either --command "PROGRAM ARGUMENTS" or --url https://HOST/PATH' },
    'Cannot add a server without exactly one way to reach it',
  )
}

/** Does not repeat the line: an argument may be a secret. */
function unreadable(): CordonError {
  return new CordonError(
    'cli.arguments',
    { exit: 2, hint: 'Write the program and its arguments, quoted where they hold spaces' },
    'Cannot read the command line: it has an open quote, or needs a shell',
  )
}
