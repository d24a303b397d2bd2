/** `mcp add … accept`: a server's definition, its start and stop, its log and its tools. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { DefinitionChanges } from '../../kernel/definition-change.ts'
import type { LogLine, ServerState } from '../../kernel/server-state.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { printableLine } from '../output.ts'
import { addAcceptCommand } from './accept-tools.ts'
import { type ChangeOptions, changesFrom, withChangeOptions } from './definition-options.ts'
import { BADGES, describeServer, describeTools } from './mcp-view.ts'

const FOLLOW_MS = 500

export function addMcpLifeCommands(mcp: Command, context: Context): void {
  addDefinitionCommands(mcp, context)
  addRunCommands(mcp, context)
  addToolCommands(mcp, context)
}

function addDefinitionCommands(mcp: Command, context: Context): void {
  withChangeOptions(mcp.command('add').argument('<server>', 'a short name for it'))
    .description('write a definition by hand')
    .argument('[command...]', 'the program and its arguments, after `--`')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon mcp add files -- node /srv/files/index.js /data\n  $ cordon mcp add docs --url https://docs.example.com/mcp',
    )
    .action(async (server: string, words: string[], options: ChangeOptions, command: Command) => {
      const changes = { ...changesFrom(options), ...programFrom(words) }
      await change(context, command, 'mcp.add', { server, changes })
    })
  withChangeOptions(mcp.command('edit').argument('<server>'))
    .description('change a definition; its comments stay')
    .addHelpText('after', '\nExample:\n  $ cordon mcp edit notion --allow api.notion.com')
    .action(async (server: string, options: ChangeOptions, command: Command) => {
      await change(context, command, 'mcp.edit', { server, changes: changesFrom(options) })
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
        await change(context, command, 'mcp.edit', { server, changes: { enabled } })
      })
  }
  mcp
    .command('remove')
    .argument('<server>')
    .description('stop it and forget it, with the secrets that only it uses')
    .addHelpText('after', '\nExample:\n  $ cordon mcp remove notion')
    .option('--keep-secrets', 'leave its secrets in the vault')
    .option('-y, --yes', 'do not ask')
    .action(async (server: string, options: RemoveOptions, command: Command) => {
      await remove(context, command, server, options)
    })
}

interface RemoveOptions {
  readonly keepSecrets?: boolean
  readonly yes?: boolean
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
  mcp
    .command('logs')
    .argument('<server>')
    .description('show what it said, and what it was not allowed to reach')
    .addHelpText('after', '\nExample:\n  $ cordon mcp logs notion --follow')
    .option('-f, --follow', 'keep showing until Ctrl-C')
    .action(async (server: string, options: { readonly follow?: boolean }, command: Command) => {
      await showLogs(context, command, server, options.follow === true)
    })
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
  route: 'mcp.add' | 'mcp.edit',
  input: { readonly server: string; readonly changes: DefinitionChanges },
): Promise<void> {
  const details = await withApi(context, command, (api) => api.call(route, input))
  outputOf(context, command).answer(details, () => describeServer(details))
}

async function remove(
  context: Context,
  command: Command,
  server: string,
  options: RemoveOptions,
): Promise<void> {
  const keepSecrets = options.keepSecrets === true
  const also = keepSecrets ? '' : ' This will remove the MCP and its stored credentials.'
  await confirm(context, `Delete "${server}"?${also}`, options.yes === true)
  const done = await withApi(context, command, (api) =>
    api.call('mcp.remove', { server, keepSecrets }),
  )
  outputOf(context, command).answer(done, () => [
    `Removed ${server}.`,
    ...done.removedSecrets.map((name) => `  and its secret ${name}`),
  ])
}

async function showLogs(
  context: Context,
  command: Command,
  server: string,
  follow: boolean,
): Promise<void> {
  await withApi(context, command, async (api) => {
    const output = outputOf(context, command)
    const { workingFolder } = context.surface
    const { lines } = await api.call('mcp.logs', { server, workingFolder })
    output.answer({ lines }, () => lines.map(showLine))
    if (!follow) return
    let seen = lines.at(-1)?.seq ?? 0
    while (!context.signal.aborted) {
      await pause(FOLLOW_MS)
      const { lines: all } = await api.call('mcp.logs', { server, workingFolder })
      const last = all.at(-1)?.seq ?? 0
      const fresh = last < seen ? all : all.filter(({ seq }) => seq > seen) // fewer: the server's log began anew
      seen = last
      if (fresh.length > 0) output.answer({ lines: fresh }, () => fresh.map(showLine))
    }
  })
}

function showLine({ at, from, text }: LogLine): string {
  return `${at} ${from}: ${printableLine(text)}`
}

function describeState(state: ServerState): string {
  const reason = state.reason ? `: ${printableLine(state.reason)}` : ''
  return `${state.server} is ${BADGES[state.badge][1].toLowerCase()}${reason}`
}

function programFrom([command, ...args]: readonly string[]): DefinitionChanges {
  return command === undefined ? {} : { command, args }
}
