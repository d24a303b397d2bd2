/**
 * `mcp resources`, `mcp read`, `mcp prompts`, `mcp prompt`: the features of a server besides tools. A read and a prompt are
 * calls, through the one door. All that is shown is the server's text.
 */
import type { Command } from 'commander'
import { CordonError } from '../../kernel/error.ts'
import { GET_PROMPT, READ_RESOURCE } from '../../text/feature-names.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { printable } from '../../text/untrusted-text.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { columns, printableLine } from '../output.ts'
import { type CallOptions, performCall, type Result, showCall } from './mcp-call.ts'

export function addFeatureCommands(mcp: Command, context: Context): void {
  addLists(mcp, context)
  withAsking(mcp.command('read').argument('<server>').argument('<uri>'))
    .description('read a resource of a server, through the one door')
    .option('--out <place>', 'save it: pictures and files as they are')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon mcp read notes notes://note/1\n  $ cordon mcp read charts charts://sales --out sales.png',
    )
    .action(async (server: string, uri: string, options: CallOptions, command: Command) => {
      const call = { server, tool: READ_RESOURCE, args: { uri } }
      await perform({ context, command, options }, call, resourceBlocks)
    })
  withAsking(mcp.command('prompt').argument('<server>').argument('<name>'))
    .argument('[arguments...]', 'name=value')
    .description('get a prompt of a server: text that its author wrote, not you')
    .addHelpText('after', '\nExample:\n  $ cordon mcp prompt github review pull=17')
    .action(async (server: string, name: string, words: string[], ...rest: [object, Command]) => {
      const [, command] = rest
      const options = command.opts<CallOptions>()
      const call = { server, tool: GET_PROMPT, args: { name, arguments: argumentsFrom(words) } }
      await perform({ context, command, options }, call, promptBlocks)
    })
}

function withAsking(command: Command): Command {
  return command
    .option('-y, --yes', 'allow it with the command; only where every word is your own')
    .option('--wait', 'wait until it is answered elsewhere, for five minutes at most')
}

function addLists(mcp: Command, context: Context): void {
  const { workingFolder } = context.surface
  mcp
    .command('resources')
    .argument('<server>')
    .description('list the resources of a server, and the templates of more')
    .addHelpText('after', '\nExample:\n  $ cordon mcp resources notes')
    .action(async (server: string, _options: object, command: Command) => {
      const listed = await withApi(context, command, (api) =>
        api.call('mcp.resources', { server, workingFolder }, context.signal),
      )
      outputOf(context, command).answer(listed, () => {
        const rows = [
          ...listed.resources.map((one) => rowOf(one, 'uri')),
          ...listed.templates.map((one) => rowOf(one, 'uriTemplate')),
        ]
        return rows.length > 0 ? columns(rows) : [`${server} has no resources.`]
      })
    })
  mcp
    .command('prompts')
    .argument('<server>')
    .description('list the prompts of a server, and its own words about its use')
    .addHelpText('after', '\nExample:\n  $ cordon mcp prompts github')
    .action(async (server: string, _options: object, command: Command) => {
      const listed = await withApi(context, command, (api) =>
        api.call('mcp.prompts', { server, workingFolder }, context.signal),
      )
      const { prompts, instructions } = listed
      outputOf(context, command).answer(listed, () => [
        ...(prompts.length > 0 ? columns(prompts.map(promptRow)) : [`${server} has no prompts.`]),
        ...(instructions === undefined ? [] : [`It says: ${printable(instructions)}`]),
      ])
    })
}

function rowOf(item: JsonObject, key: string): readonly string[] {
  return [item[key], item['name'], item['mimeType'], item['description']].map(cell)
}

function promptRow({ name, description, arguments: args }: JsonObject): readonly string[] {
  const named = Array.isArray(args) ? (args as readonly JsonObject[]) : []
  const shown = named.map((one) => `${cell(one['name'])}=${one['required'] === true ? '…' : '[…]'}`)
  return [cell(name), shown.join(' '), cell(description)]
}

function cell(value: Json | undefined): string {
  return typeof value === 'string' ? printableLine(value) : ''
}

interface Performing {
  readonly context: Context
  readonly command: Command
  readonly options: CallOptions
}

interface FeatureCall {
  readonly server: string
  readonly tool: string
  readonly args: Readonly<Record<string, Json>>
}

/** With `--json` the answer is shown as it came; otherwise as content, which a terminal can show and a file can hold. */
async function perform(
  { context, command, options }: Performing,
  call: FeatureCall,
  blocksIn: (value: Json, isSaved: boolean) => Json,
): Promise<void> {
  const named = { ...call, workingFolder: context.surface.workingFolder }
  await withApi(context, command, async (api) => {
    const run = { context, command, api }
    const result = await performCall(run, named, options)
    const isSaved = options.out !== undefined
    const isRaw = outputOf(context, command).json && !isSaved
    const shown: Result =
      result.kind === 'ok' && !isRaw
        ? { ...result, value: blocksIn(result.value, isSaved) }
        : result
    await showCall(run, { ...named, options, result: shown })
  })
}

function resourceBlocks(value: Json, isSaved: boolean): Json {
  return listIn(value, 'contents').map((resource) => {
    const { text } = resource
    // A file gets the bytes of the text, without the line feed that a terminal needs.
    const isFile = isSaved && typeof text === 'string'
    const bytes = isFile ? { ...resource, blob: Buffer.from(text).toString('base64') } : resource
    return { type: 'resource', resource: bytes }
  })
}

function promptBlocks(value: Json): Json {
  return listIn(value, 'messages').flatMap(({ role, content }) => [
    { type: 'text', text: `${typeof role === 'string' ? role : 'user'}:` },
    content ?? null,
  ])
}

function listIn(value: Json, member: string): readonly JsonObject[] {
  const list = (value as JsonObject)[member]
  return Array.isArray(list) ? (list as readonly JsonObject[]) : []
}

function argumentsFrom(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=')
      if (at < 1) throw badArgument(word)
      return [word.slice(0, at), word.slice(at + 1)]
    }),
  )
}

function badArgument(word: string): CordonError {
  return new CordonError(
    'cli.arguments',
    { exit: 2, hint: 'Write each as name=value; `cordon mcp prompts SERVER` lists the names' },
    `Cannot read the arguments: ${JSON.stringify(word)} is no name=value`,
  )
}
