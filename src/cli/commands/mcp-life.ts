/** `mcp add … accept`: a server's definition, its start and stop, its log and its tools. */
import type { Command } from 'commander'
import type { DefinitionChanges } from '../../kernel/definition-change.ts'
import type { ServerState } from '../../kernel/server-state.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { printableLine } from '../output.ts'
import { addServer, programFrom, withoutSurprise } from './add-server.ts'
import { addAcceptCommand } from './accept-tools.ts'
import { type ChangeOptions, changesFrom, withChangeOptions } from './definition-options.ts'
import { dataLoss, describeRemoval, type RemoveOptions } from './removal-view.ts'
import { addLogCommand } from './mcp-logs.ts'
import { BADGES, describeServer, describeTools } from './mcp-view.ts'

export function addMcpLifeCommands(mcp: Command, context: Context): void {
  addDefinitionCommands(mcp, context)
  addRunCommands(mcp, context)
  addToolCommands(mcp, context)
}

function addDefinitionCommands(mcp: Command, context: Context): void {
  const { workingFolder } = context.surface
  withChangeOptions(mcp.command('add').argument('<server>', 'a short name for it'))
    .description('write a definition by hand')
    .argument('[command...]', 'the program and its arguments, after `--`')
    .addHelpText(
      'after',
      '\nIn a terminal it is started at once, and you see what came of it; with `--no-start` it waits for its first call.\n\nExample:\n  $ cordon mcp add files -- node /srv/files/index.js /data\n  $ cordon mcp add docs --url https://docs.example.com/mcp',
    )
    .action(async (server: string, words: string[], options: ChangeOptions, command: Command) => {
      const program = programFrom(words, workingFolder)
      const changes = { ...changesFrom(options, workingFolder), ...program }
      await addServer(context, command, server, changes)
    })
  withChangeOptions(mcp.command('edit').argument('<server>'))
    .description('change a definition; its comments stay')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon mcp edit notion --allow api.notion.com\n  $ cordon mcp edit filesystem --read ~/photos --write ~/notes\n  $ cordon mcp edit github --seal GITHUB_PERSONAL_ACCESS_TOKEN=api.github.com',
    )
    .action(async (server: string, options: ChangeOptions, command: Command) => {
      const changes = await withoutSurprise(context, changesFrom(options, workingFolder))
      await change(context, command, { server, changes })
    })
  for (const [name, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    mcp
      .command(name)
      .argument('<server>')
      .description(enabled ? 'let it run' : 'keep it off')
      .addHelpText('after', `\nExample:\n  $ cordon mcp ${name} notion`)
      .action(async (server: string, _options: object, command: Command) => {
        await change(context, command, { server, changes: { enabled } })
      })
  }
  mcp
    .command('remove')
    .argument('<server>')
    .description('stop it and forget it, with the secrets that only it uses')
    .addHelpText('after', '\nExample:\n  $ cordon mcp remove notion')
    .option('--keep-secrets', 'leave its secrets in the vault')
    .option('--keep-data', 'leave what it kept between its starts')
    .option('-y, --yes', 'do not ask')
    .action(async (server: string, options: RemoveOptions, command: Command) => {
      await remove(context, command, server, options)
    })
}

function addRunCommands(mcp: Command, context: Context): void {
  const { workingFolder } = context.surface
  for (const [name, route, description] of [
    ['start', 'mcp.start', 'start it now'],
    ['stop', 'mcp.stop', 'stop it; the next call starts it again'],
    ['restart', 'mcp.restart', 'stop it and start it again'],
  ] as const) {
    mcp
      .command(name)
      .argument('<server>')
      .description(description)
      .addHelpText('after', `\nExample:\n  $ cordon mcp ${name} notion`)
      .action(async (server: string, _options: object, command: Command) => {
        const ask = (signal: AbortSignal) =>
          withApi(context, command, (api) => api.call(route, { server, workingFolder }, signal))
        const state = await ask(context.signal)
        outputOf(context, command).answer(state, () => [describeState(state)])
      })
  }
  mcp
    .command('unsandbox')
    .argument('<server>')
    .description('let a server run without a sandbox, if its definition asks for it')
    .option('--undo', 'take that back and stop it')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  $ cordon mcp unsandbox legacy-tool')
    .action(async (server: string, options: UnsandboxOptions, command: Command) => {
      await unsandbox(context, command, server, options)
    })
  mcp
    .command('forget-told')
    .argument('<server>')
    .description("say that a server no longer has what it was told of other servers' data")
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  $ cordon mcp forget-told memory')
    .action(async (server: string, options: { readonly yes?: boolean }, command: Command) => {
      await forgetTold(context, command, server, options.yes === true)
    })
  addLogCommand(mcp, context)
}

interface UnsandboxOptions {
  readonly undo?: boolean
  readonly yes?: boolean
}

async function unsandbox(
  context: Context,
  command: Command,
  server: string,
  { undo = false, yes = false }: UnsandboxOptions,
): Promise<void> {
  const question = `Run ${JSON.stringify(server)} without a sandbox? It can then read and change what you can, and reach every host`
  if (!undo) await confirm(context, question, yes)
  const route = undo ? 'mcp.sandbox' : 'mcp.unsandbox'
  const details = await withApi(context, command, (api) => api.call(route, { server }))
  outputOf(context, command).answer(details, () => [
    undo
      ? `${server} no longer runs without a sandbox.`
      : `${server} may run without a sandbox, until its definition changes. Take it back with \`cordon mcp unsandbox ${server} --undo\`.`,
  ])
}

async function forgetTold(
  context: Context,
  command: Command,
  server: string,
  yes: boolean,
): Promise<void> {
  const question = `Does ${JSON.stringify(server)} no longer hold anything that it was given of other servers? Its answers then count as its own data only`
  await confirm(context, question, yes)
  const done = await withApi(context, command, (api) => api.call('mcp.forget', { server }))
  outputOf(context, command).answer(done, () => [
    done.forgotten
      ? `The answers of ${server} count as its own data again.`
      : `${server} was told nothing of other servers.`,
  ])
}

function addToolCommands(mcp: Command, context: Context): void {
  const { workingFolder } = context.surface
  mcp
    .command('tools')
    .argument('<server>')
    .description('list its tools, as it describes them')
    .addHelpText('after', '\nExample:\n  $ cordon mcp tools notion')
    .action(async (server: string, _options: object, command: Command) => {
      const answer = await withApi(context, command, (api) =>
        api.call('mcp.tools', { server, workingFolder }),
      )
      outputOf(context, command).answer(answer, () => describeTools(answer.tools))
    })
  addAcceptCommand(mcp, context)
}

async function change(
  context: Context,
  command: Command,
  input: { readonly server: string; readonly changes: DefinitionChanges },
): Promise<void> {
  const details = await withApi(context, command, (api) => api.call('mcp.edit', input))
  outputOf(context, command).answer(details, () => describeServer(details))
}

async function remove(
  context: Context,
  command: Command,
  server: string,
  options: RemoveOptions,
): Promise<void> {
  const { keepSecrets = false, keepData = false, yes = false } = options
  const also = keepSecrets ? '' : ' This will remove the MCP and its stored credentials.'
  await withApi(context, command, async (api) => {
    const loss = await dataLoss(api, server, options)
    await confirm(context, `Delete "${server}"?${also}${loss}`, yes)
    const done = await api.call('mcp.remove', { server, keepSecrets, keepData })
    outputOf(context, command).answer(done, () => [`Removed ${server}.`, ...describeRemoval(done)])
  })
}

function describeState(state: ServerState): string {
  const reason = state.reason ? `: ${printableLine(state.reason)}` : ''
  return `${state.server} is ${BADGES[state.badge][1].toLowerCase()}${reason}`
}
