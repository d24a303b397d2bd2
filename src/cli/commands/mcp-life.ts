/** `mcp add … call`: a server's definition, its life and its tools. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { DefinitionChanges } from '../../kernel/definition-change.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Json } from '../../kernel/json.ts'
import type { LogLine, ServerState, ToolDescription } from '../../kernel/server-state.ts'
import { showValue } from '../../kernel/show-value.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { columns, printable } from '../output.ts'
import { type ChangeOptions, changesFrom, withChangeOptions } from './definition-options.ts'
import { BADGES, describeServer } from './mcp-words.ts'

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
      .action(async (server: string, _options: object, command: Command) => {
        await change(context, command, 'mcp.edit', { server, changes: { enabled } })
      })
  }
  mcp
    .command('remove')
    .argument('<server>')
    .description('stop it and forget it, with the secrets that only it uses')
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
  for (const [name, route, description] of [
    ['launch', 'mcp.start', 'start it now'],
    ['stop', 'mcp.stop', 'stop it; the next call starts it again'],
    ['restart', 'mcp.restart', 'stop it and start it again'],
  ] as const) {
    mcp
      .command(name)
      .argument('<server>')
      .description(description)
      .action(async (server: string, _options: object, command: Command) => {
        const ask = (signal: AbortSignal) =>
          withApi(context, command, (api) => api.call(route, { server }, signal))
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
    .command('logs')
    .argument('<server>')
    .description('show what it said, and what it was not allowed to reach')
    .option('-f, --follow', 'keep showing until Ctrl-C')
    .action(async (server: string, options: { readonly follow?: boolean }, command: Command) => {
      await showLogs(context, command, server, options.follow === true)
    })
  mcp
    .command('daemon')
    .description('run Cordon in the background (the same as `cordon up --detach`)')
    .action(async (_options: object, command: Command) => {
      const status = await withApi(context, command, (api) => api.call('status', {}))
      outputOf(context, command).answer(status, () => [`Cordon runs as process ${status.pid}.`])
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
  if (!undo) await confirm(context.surface.terminal, question, yes)
  const route = undo ? 'mcp.sandbox' : 'mcp.unsandbox'
  const details = await withApi(context, command, (api) => api.call(route, { server }))
  outputOf(context, command).answer(details, () => [
    undo
      ? `${server} no longer runs without a sandbox.`
      : `${server} may run without a sandbox, until its definition changes. Take it back with \`cordon mcp unsandbox ${server} --undo\`.`,
  ])
}

function addToolCommands(mcp: Command, context: Context): void {
  mcp
    .command('tools')
    .argument('<server>')
    .description('list its tools, as it describes them')
    .action(async (server: string, _options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('mcp.tools', { server }))
      outputOf(context, command).answer(answer, () => describeTools(answer.tools))
    })
  mcp
    .command('accept')
    .argument('<server>')
    .argument('[tools...]', 'without a name, all of them')
    .description('accept tools that changed, or are new, as they are now')
    .action(async (server: string, names: string[], _options: object, command: Command) => {
      const input = names.length > 0 ? { server, tools: names } : { server }
      const answer = await withApi(context, command, (api) => api.call('mcp.accept', input))
      outputOf(context, command).answer(answer, () => describeTools(answer.tools))
    })
  mcp
    .command('call')
    .argument('<server.tool>')
    .argument('[arguments]', 'a JSON object', '{}')
    .description('call a tool, through the one door')
    .addHelpText('after', '\nExample:\n  $ cordon mcp call notion.search \'{"query": "plan"}\'')
    .action(async (tool: string, text: string, _options: object, command: Command) => {
      const call = { ...splitTool(tool), args: parseArguments(text) }
      const result = await withApi(context, command, (api) =>
        api.call('mcp.call', call, context.signal),
      )
      const output = outputOf(context, command)
      output.answer(result, () => [
        result.kind === 'ok'
          ? showValue(result.value).split('\n').map(printable).join('\n')
          : printable(`${result.kind}: ${result.reason}`),
      ])
      if (result.kind !== 'ok') context.endWith(result.kind === 'refused' ? 3 : 5)
    })
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
  await confirm(context.surface.terminal, `Delete "${server}"?${also}`, options.yes === true)
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
    const { lines } = await api.call('mcp.logs', { server })
    output.answer({ lines }, () => lines.map(showLine))
    if (!follow) return
    let seen = lines.at(-1)?.at ?? ''
    while (!context.signal.aborted) {
      await pause(500)
      const fresh = (await api.call('mcp.logs', { server })).lines.filter(({ at }) => at > seen)
      seen = fresh.at(-1)?.at ?? seen
      if (fresh.length > 0) output.answer({ lines: fresh }, () => fresh.map(showLine))
    }
  })
}

function showLine({ at, from, text }: LogLine): string {
  return `${at} ${from}: ${printable(text)}`
}

function describeState(state: ServerState): string {
  const reason = state.reason ? `: ${printable(state.reason)}` : ''
  return `${state.server} is ${BADGES[state.badge][1].toLowerCase()}${reason}`
}

function describeTools(tools: readonly ToolDescription[]): readonly string[] {
  if (tools.length === 0) return ['No tools are known. Start it with `cordon mcp launch`.']
  return columns(
    tools.map(({ name, description, quarantined }) => [
      printable(name),
      quarantined ? 'changed, not accepted' : '',
      printable(description?.split('\n')[0]?.slice(0, 80) ?? ''),
    ]),
  )
}

function programFrom([command, ...args]: readonly string[]): DefinitionChanges {
  return command === undefined ? {} : { command, args }
}

/** The name of a server holds no dot, so the first one ends it. */
function splitTool(text: string): { readonly server: string; readonly tool: string } {
  const dot = text.indexOf('.')
  if (dot > 0) return { server: text.slice(0, dot), tool: text.slice(dot + 1) }
  throw new CordonError(
    'cli.tool',
    { exit: 2, hint: 'Write it like `notion.search`; `cordon mcp tools notion` lists them' },
    `Cannot read ${JSON.stringify(text)} as a tool`,
  )
}

function parseArguments(text: string): Readonly<Record<string, Json>> {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, Json>>
    }
  } catch {
    // told below, without the text: it may hold anything
  }
  throw new CordonError(
    'cli.arguments',
    { exit: 2, hint: 'Give one JSON object in quotes, as in \'{"query": "plan"}\'' },
    'Cannot read the arguments as a JSON object',
  )
}
