/** `client …` and `gateway`: other programs that use the servers behind Cordon. */
import type { Command } from 'commander'
import type { Output } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import type { ClientChange, GatewayClient, Taint } from '../../ports/client-port.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { columns } from '../output.ts'
import { wholeNumber } from './whole-number.ts'

export function addClientCommands(program: Command, context: Context): void {
  const client = program
    .command('client')
    .description('programs that use your servers through the gateway')
  client
    .command('list')
    .description('list them')
    .addHelpText('after', '\nExample:\n  $ cordon client list')
    .action(async (_options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('clients.list', {}))
      outputOf(context, command).answer(answer, () => describe(answer))
    })
  addAdd(client, context)
  addEdit(client, context)
  addRemove(client, context)
  addGateway(program, context)
}

interface AddOptions {
  readonly tainted?: string
}

function addAdd(client: Command, context: Context): void {
  client
    .command('add')
    .argument('<name>', 'your name for it, such as claude')
    .option('--tainted <what>', 'calls that others may have steered: ask, deny or warn', 'ask')
    .description('register a program, and print how it connects')
    .addHelpText('after', '\nExample:\n  $ cordon client add claude')
    .action(async (name: string, options: AddOptions, command: Command) => {
      const taint = readTaint(options.tainted ?? 'ask')
      const { made, url } = await withApi(context, command, async (api) => ({
        made: await api.call('clients.add', { name, taint }),
        url: (await api.call('clients.list', {})).url,
      }))
      const entry = { command: 'cordon', args: ['gateway', '--client', name] }
      outputOf(context, command).answer({ ...made, url, entry }, () => [
        `${name} is registered. Put this into its configuration of MCP servers:`,
        JSON.stringify({ mcpServers: { cordon: entry } }, undefined, 2),
        ...(url === undefined
          ? []
          : [
              '',
              `Or, for a program that takes a URL: ${url}`,
              `  Authorization: Bearer ${made.token}`,
            ]),
        '',
        'The token is not shown again.',
      ])
    })
}

interface EditOptions extends AddOptions {
  readonly callsPerMinute?: string
  readonly megabytesPerDay?: string
}

function addEdit(client: Command, context: Context): void {
  client
    .command('edit')
    .argument('<name>')
    .option('--tainted <what>', 'calls that others may have steered: ask, deny or warn')
    .option('--calls-per-minute <number>', 'how many calls it may make in a minute, or none')
    .option('--megabytes-per-day <number>', 'how much it is given in a day, or none')
    .description('change what happens to its calls, and how many it may make')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon client edit claude --tainted deny\n  $ cordon client edit claude --calls-per-minute 60',
    )
    .action(async (name: string, options: EditOptions, command: Command) => {
      const change = changeFrom(options)
      const edited = await withApi(context, command, (api) =>
        api.call('clients.edit', { name, ...change }),
      )
      outputOf(context, command).answer(edited, () => [
        `${name}: ${settingsOf(edited).join('; ')}.`,
      ])
    })
}

function changeFrom({ tainted, callsPerMinute, megabytesPerDay }: EditOptions): ClientChange {
  const calls = limitFrom(callsPerMinute)
  const megabytes = limitFrom(megabytesPerDay)
  const change: ClientChange = {
    ...(tainted !== undefined && { taint: readTaint(tainted) }),
    ...(calls !== undefined && { callsPerMinute: calls }),
    ...(megabytes !== undefined && { bytesPerDay: megabytes && megabytes * MEGABYTE }),
  }
  if (Object.keys(change).length > 0) return change
  throw new CordonError(
    'cli.no-setting',
    { exit: 2, hint: 'Add --tainted, --calls-per-minute or --megabytes-per-day' },
    'Cannot change a client: no setting is named',
  )
}

const MEGABYTE = 1_000_000

/** Null takes the limit away. */
function limitFrom(word: string | undefined): number | null | undefined {
  if (word === undefined) return undefined
  return word === 'none' ? null : wholeNumber(word)
}

function settingsOf({ taint, limits = {} }: GatewayClient): readonly string[] {
  const { callsPerMinute, bytesPerDay } = limits
  return [
    TAINTED[taint],
    ...(callsPerMinute === undefined ? [] : [`${callsPerMinute} calls a minute`]),
    ...(bytesPerDay === undefined ? [] : [`${bytesPerDay / MEGABYTE} MB a day`]),
  ]
}

function addRemove(client: Command, context: Context): void {
  client
    .command('remove')
    .argument('<name>')
    .option('--yes', 'do not ask')
    .description('end its access at once')
    .addHelpText('after', '\nExample:\n  $ cordon client remove claude')
    .action(async (name: string, { yes }: { readonly yes?: boolean }, command: Command) => {
      await confirm(context, `End the access of ${name}?`, yes === true)
      await withApi(context, command, (api) => api.call('clients.remove', { name }))
      outputOf(context, command).answer({ name }, () => [`${name} has no access any more.`])
    })
}

function addGateway(program: Command, context: Context): void {
  program
    .command('gateway')
    .requiredOption('--client <name>', 'a registered client (`cordon client add`)')
    .description('serve your servers to another program, over standard input and output')
    .addHelpText('after', '\nExample:\n  $ cordon gateway --client claude')
    .action(async ({ client }: { readonly client: string }, command: Command) => {
      await withApi(context, command, (api) => api.call('ping', {}))
      await context.surface.relay(client, context.signal)
    })
}

const TAINTED: Readonly<Record<Taint, string>> = {
  ask: 'you are asked about calls that others may have steered',
  deny: 'calls that others may have steered are refused',
  warn: 'calls that others may have steered go through',
}

function readTaint(word: string): Taint {
  if (word === 'ask' || word === 'deny' || word === 'warn') return word
  throw new CordonError(
    'cli.taint',
    { exit: 2, hint: 'Use ask, deny or warn' },
    `Cannot treat tainted calls as ${JSON.stringify(word)}`,
  )
}

function describe({ clients, url }: Output<'clients.list'>): readonly string[] {
  if (clients.length === 0) return ['No program is registered. Add one: cordon client add NAME']
  const rows = clients.map((client) => [
    client.name,
    client.lastUsedAt === undefined
      ? 'never used'
      : `used ${new Date(client.lastUsedAt).toLocaleString()}`,
    settingsOf(client).join('; '),
  ])
  return [...columns(rows), ...(url === undefined ? [] : ['', `URL: ${url}`])]
}
