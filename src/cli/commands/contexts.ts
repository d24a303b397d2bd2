/** `context …`: named sets of servers and tools, and which program is limited to which of them. */
import type { Command } from 'commander'
import type { Api, Output } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { columns, printableLine } from '../output.ts'

export function addContextCommands(program: Command, context: Context): void {
  const group = program
    .command('context')
    .description('sets of servers and tools that programs are limited to')
  addList(group, context)
  addShow(group, context)
  addAdd(group, context)
  addEdit(group, context)
  addRemove(group, context)
  addUse(group, context)
  addCost(group, context)
}

function addList(group: Command, context: Context): void {
  group
    .command('list')
    .description('list them')
    .addHelpText('after', '\nExample:\n  $ cordon context list')
    .action(async (_options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('contexts.list', {}))
      outputOf(context, command).answer(answer, () => describeAll(answer))
    })
}

function addShow(group: Command, context: Context): void {
  group
    .command('show')
    .argument('<name>')
    .description('show what one holds, and who is limited to it')
    .addHelpText('after', '\nExample:\n  $ cordon context show work')
    .action(async (name: string, _options: object, command: Command) => {
      const { contexts } = await withApi(context, command, (api) => api.call('contexts.list', {}))
      const found = contexts.find((one) => one.name === name)
      if (!found) throw noSuchContext(name)
      outputOf(context, command).answer(found, () => describe(found))
    })
}

function addAdd(group: Command, context: Context): void {
  group
    .command('add')
    .argument('<name>', 'such as work')
    .argument('<member...>', 'servers, or single tools such as github.search_code')
    .description('make one')
    .addHelpText('after', '\nExample:\n  $ cordon context add work github-work linear')
    .action(async (name: string, members: string[], _options: object, command: Command) => {
      const { added, unknown } = await withApi(context, command, async (api) => ({
        added: await api.call('contexts.add', { name, members }),
        unknown: await unknownTools(api, members),
      }))
      outputOf(context, command).answer(added, () => [
        ...describe(added),
        ...unknown,
        `Limit a program to it: cordon context use ${name} --client NAME`,
      ])
    })
}

interface EditOptions {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

function addEdit(group: Command, context: Context): void {
  group
    .command('edit')
    .argument('<name>')
    .option('--add <member...>', 'servers or tools to put in')
    .option('--remove <member...>', 'servers or tools to take out')
    .description('change what it holds; programs see it at once')
    .addHelpText('after', '\nExample:\n  $ cordon context edit work --add slack --remove linear')
    .action(async (name: string, { add = [], remove = [] }: EditOptions, command: Command) => {
      const { edited, unknown } = await withApi(context, command, async (api) => ({
        edited: await api.call('contexts.edit', { name, add, remove }),
        unknown: await unknownTools(api, add),
      }))
      outputOf(context, command).answer(edited, () => [...describe(edited), ...unknown])
    })
}

/** A line for each tool that its server does not have now. It may have it later, so it is no mistake for certain. */
async function unknownTools(
  api: Api<'mcp.tools'>,
  members: readonly string[],
): Promise<readonly string[]> {
  const lines: string[] = []
  for (const member of members.filter((one) => one.includes('.') && !one.endsWith('.*'))) {
    const server = member.slice(0, member.indexOf('.'))
    const { tools } = await api.call('mcp.tools', { server })
    if (tools.some((tool) => `${server}.${tool.name}` === member)) continue
    lines.push(`${server} has no tool ${printableLine(member)} now: \`cordon mcp show ${server}\``)
  }
  return lines
}

function addRemove(group: Command, context: Context): void {
  group
    .command('remove')
    .argument('<name>')
    .option('--yes', 'do not ask')
    .description('remove one that no program is limited to')
    .addHelpText('after', '\nExample:\n  $ cordon context remove work')
    .action(async (name: string, { yes }: { readonly yes?: boolean }, command: Command) => {
      await withApi(context, command, async (api) => {
        const { contexts } = await api.call('contexts.list', {})
        // The kernel refuses a context that is not there or in use, so nobody is asked about it.
        const canGo = contexts.some((one) => one.name === name && one.clients.length === 0)
        if (canGo) await confirm(context, `Remove context ${name}?`, yes === true)
        await api.call('contexts.remove', { name })
      })
      outputOf(context, command).answer({ name }, () => [`${name} is removed.`])
    })
}

interface UseOptions {
  readonly client?: string
  readonly all?: boolean
}

function addUse(group: Command, context: Context): void {
  group
    .command('use')
    .argument('[name...]', 'the contexts; all others are switched off for the program')
    .option('--client <name>', 'the program; may be left out if there is one')
    .option('--all', 'let it use every server again')
    .description('limit a program to contexts, without touching its configuration')
    .addHelpText('after', '\nExample:\n  $ cordon context use work --client claude')
    .action(async (contexts: string[], options: UseOptions, command: Command) => {
      if ((contexts.length === 0) !== (options.all === true)) throw nothingNamed()
      const edited = await withApi(context, command, async (api) => {
        const name = options.client ?? (await soleClient(api))
        return await api.call('clients.edit', { name, contexts })
      })
      const now = contexts.length === 0 ? 'every server' : contexts.join(', ')
      outputOf(context, command).answer(edited, () => [`${edited.name} uses ${now} now.`])
    })
}

async function soleClient(api: Api): Promise<string> {
  const { clients } = await api.call('clients.list', {})
  const [client] = clients
  if (client && clients.length === 1) return client.name
  throw new CordonError(
    'cli.which-client',
    { exit: 2, hint: 'Add --client NAME; `cordon client list` shows the names' },
    `Cannot tell which program is meant: there are ${clients.length}`,
  )
}

function addCost(group: Command, context: Context): void {
  group
    .command('cost')
    .argument('[name...]', 'only these contexts; without one, all tools')
    .description('print what listing tools costs a model, and what search saves')
    .addHelpText('after', '\nExample:\n  $ cordon context cost work')
    .action(async (contexts: string[], _options: object, command: Command) => {
      const cost = await withApi(context, command, (api) =>
        api.call('contexts.cost', contexts.length === 0 ? {} : { contexts }),
      )
      outputOf(context, command).answer(cost, () => describeCost(cost))
    })
}

function describeCost(cost: Output<'contexts.cost'>): readonly string[] {
  const { servers, tools, tokens, searchTokens } = cost
  if (tools === 0) return ['No tools are offered.']
  const rows = servers.map((one) => [one.server, `${one.tools} tools`, `${one.tokens} tokens`])
  const share = ((100 * searchTokens) / tokens).toFixed(1)
  return [
    ...columns([...rows, ['all', `${tools} tools`, `${tokens} tokens`]]),
    '',
    tokens > searchTokens
      ? `Search in their place: ${searchTokens} tokens (${share} %), ${tokens - searchTokens} saved in every conversation.`
      : `Search in their place would be ${searchTokens} tokens: the list is cheaper.`,
    'Tokens are estimated at four characters each.',
  ]
}

function describeAll({ contexts }: Output<'contexts.list'>): readonly string[] {
  if (contexts.length === 0)
    return ['There are none: every program may use every server. Make one: cordon context add NAME']
  return columns(
    contexts.map(({ name, members, clients }) => [
      name,
      members.join(', '),
      clients.length === 0 ? 'no program' : clients.join(', '),
    ]),
  )
}

function describe(shown: {
  readonly name: string
  readonly members: readonly string[]
  readonly clients?: readonly string[]
}): readonly string[] {
  const { name, members, clients } = shown
  return [
    `${name}: ${members.length === 0 ? 'nothing' : members.join(', ')}`,
    ...(clients ? [`Limited to it: ${clients.length === 0 ? 'nobody' : clients.join(', ')}`] : []),
  ]
}

function nothingNamed(): CordonError {
  return new CordonError(
    'cli.no-context',
    { exit: 2, hint: 'Name contexts, or add --all instead' },
    'Cannot switch contexts: none is named',
  )
}

function noSuchContext(name: string): CordonError {
  return new CordonError(
    'gateway.no-context',
    { exit: 2, hint: 'Run `cordon context list` to see the contexts there are' },
    `Cannot find context ${JSON.stringify(name)}`,
  )
}
