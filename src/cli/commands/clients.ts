/** `client …` and `gateway`: other programs that use the servers behind Cordon. */
import type { Command } from 'commander'
import type { Output } from '../../api/contract.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { columns } from '../output.ts'
import {
  addClientOptions,
  type ClientOptions,
  describeClient,
  type EditOptions,
  readClientChange,
  readClientOptions,
} from './client-options.ts'

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

function addAdd(client: Command, context: Context): void {
  addClientOptions(client.command('add'))
    .argument('<name>', 'your name for it, such as claude')
    .description('register a program, and print how it connects')
    .addHelpText('after', '\nExample:\n  $ cordon client add claude --kind claude-code')
    .action(async (name: string, options: ClientOptions, command: Command) => {
      const settings = readClientOptions(options)
      const { made, url } = await withApi(context, command, async (api) => ({
        made: await api.call('clients.add', { name, ...settings }),
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

function addEdit(client: Command, context: Context): void {
  addClientOptions(client.command('edit'))
    .argument('<name>')
    .option('--calls-per-minute <number>', 'how many calls it may make in a minute, or none')
    .option('--megabytes-per-day <number>', 'how much it is given in a day, or none')
    .description('change what it may use, how much it is sent, and when you are asked')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon client edit claude --context work\n  $ cordon client edit claude --calls-per-minute 60',
    )
    .action(async (name: string, options: EditOptions, command: Command) => {
      const change = readClientChange(options)
      const edited = await withApi(context, command, (api) =>
        api.call('clients.edit', { name, ...change }),
      )
      outputOf(context, command).answer(edited, () => columns([describeClient(edited)]))
    })
}

function addRemove(client: Command, context: Context): void {
  client
    .command('remove')
    .argument('<name>')
    .option('--yes', 'do not ask')
    .description('end its access at once')
    .addHelpText('after', '\nExample:\n  $ cordon client remove claude')
    .action(async (name: string, { yes }: { readonly yes?: boolean }, command: Command) => {
      await withApi(context, command, async (api) => {
        const { clients } = await api.call('clients.list', {})
        const isThere = clients.some((one) => one.name === name)
        if (isThere) await confirm(context, `End the access of ${name}?`, yes === true)
        await api.call('clients.remove', { name })
      })
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

function describe({ clients, url }: Output<'clients.list'>): readonly string[] {
  if (clients.length === 0) return ['No program is registered. Add one: cordon client add NAME']
  const rows = clients.map(describeClient)
  return [...columns(rows), ...(url === undefined ? [] : ['', `URL: ${url}`])]
}
