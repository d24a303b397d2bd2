/** `tools …`: the facts about each tool, its changes, and the owner's settings for it. */
import type { Command } from 'commander'
import type { Api, Input } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import { type Role, ROLES } from '../../kernel/tool-facts.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { addAcceptCommand, describeChange } from './accept-tools.ts'
import { addMarkCommand } from './mark-tools.ts'
import { parseTool } from './mcp-call.ts'
import { describeFlag, describeListing, describeTool } from './tool-view.ts'

export function addToolsCommands(program: Command, context: Context): void {
  const tools = program
    .command('tools')
    .description('the tools of all servers, and your word on them')
  addLooking(tools, context)
  addDiff(tools, context)
  addAcceptCommand(tools, context)
  addSwitches(tools, context)
  addWords(tools, context)
  addMarkCommand(tools, context)
}

interface ListOptions {
  readonly search?: string
}

function addLooking(tools: Command, context: Context): void {
  tools
    .command('list')
    .argument('[server]', 'only the tools of this one')
    .description('list the tools, or those that fit some words best')
    .option('--search <words>', 'what it should do, in your words')
    .addHelpText('after', '\nExample:\n  $ cordon tools list --search "create a meeting"')
    .action(async (server: string | undefined, { search }: ListOptions, command: Command) => {
      const input = {
        ...(server !== undefined && { server }),
        ...(search !== undefined && { search }),
      }
      const answer = await withApi(context, command, (api) => api.call('tools.list', input))
      outputOf(context, command).answer(answer, () => [
        ...describeListing(answer.tools, search !== undefined),
        ...answer.flags.map(describeFlag),
      ])
    })
  tools
    .command('show')
    .argument('<server.tool>')
    .description('show one tool: what it may do and why, what its arguments are for, what is odd')
    .addHelpText('after', '\nExample:\n  $ cordon tools show notion.API-post-search')
    .action(async (name: string, _options: object, command: Command) => {
      const view = await withApi(context, command, (api) => api.call('tools.show', parseTool(name)))
      outputOf(context, command).answer(view, () => describeTool(view))
    })
}

function addDiff(tools: Command, context: Context): void {
  tools
    .command('diff')
    .argument('<server>')
    .description('show what changed about its tools since you accepted them')
    .addHelpText('after', '\nExample:\n  $ cordon tools diff notion')
    .action(async (server: string, _options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => readDiff(api, server))
      outputOf(context, command).answer(answer, () => describeDiff(answer))
    })
}

type Diff = Awaited<ReturnType<typeof readDiff>>

/** The changes of a server's tools, each with its suspicious parts unless the tool is gone. */
async function readDiff(api: Api, server: string) {
  const { changes } = await api.call('mcp.changes', { server })
  const flagged = changes.map(async (change) => {
    const { flags } = change.now
      ? await api.call('tools.show', { server, tool: change.name })
      : { flags: [] }
    return { ...change, flags }
  })
  return { changes: await Promise.all(flagged) }
}

function describeDiff({ changes }: Diff): readonly string[] {
  if (changes.length === 0) return ['Nothing changed since you accepted it.']
  return changes.flatMap(({ flags, ...change }) => [
    ...flags.map(describeFlag),
    ...describeChange(change),
  ])
}

function addSwitches(tools: Command, context: Context): void {
  for (const [name, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    tools
      .command(name)
      .argument('<server.tool>')
      .description(enabled ? 'let it be called' : 'keep it from being called')
      .addHelpText('after', `\nExample:\n  $ cordon tools ${name} github.merge_pull_request`)
      .action(async (tool: string, _options: object, command: Command) => {
        await say(context, command, { ...parseTool(tool), enabled })
      })
  }
}

function addWords(tools: Command, context: Context): void {
  tools
    .command('roles')
    .argument('<server.tool>')
    .argument('<argument=role...>', `what an argument is for: ${ROLES.join(', ')}`)
    .description('say what its arguments are for; everything but content steers what happens')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon tools roles notes.save note=content folder=target',
    )
    .action(async (tool: string, words: string[], _options: object, command: Command) => {
      const roles = Object.fromEntries(words.map(parseRole))
      await say(context, command, { ...parseTool(tool), roles })
    })
}

async function say(context: Context, command: Command, input: Input<'tools.set'>): Promise<void> {
  const view = await withApi(context, command, (api) => api.call('tools.set', input))
  outputOf(context, command).answer(view, () => describeTool(view))
}

function parseRole(word: string): readonly [string, Role] {
  const at = word.lastIndexOf('=')
  const role = ROLES.find((known) => known === word.slice(at + 1))
  if (at > 0 && role) return [word.slice(0, at), role]
  throw new CordonError(
    'cli.role',
    { exit: 2, hint: `Write ARGUMENT=ROLE, with one of ${ROLES.join(', ')}` },
    `Cannot read ${JSON.stringify(word)} as a role`,
  )
}
