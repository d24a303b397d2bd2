/** `flow …`: saved flows, and checking a flow before it runs. */
import path from 'node:path'
import type { Command } from 'commander'
import type { Api, Input } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import { printable } from '../../text/untrusted-text.ts'
import type { FlowSource } from '../../ports/flow-port.ts'
import type { Json } from '../../text/json.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { adoptFile, nameOfFile } from '../flow/adopt-file.ts'
import { inProject, readSource, sourceFrom } from '../flow/flow-source.ts'
import { describeSaved } from '../flow/flow-view.ts'
import { type RunOptions, runFlow, showCheck, withRunOptions } from '../flow/run-flow.ts'
import { explainShell } from '../flow/explain-shell.ts'
import { addBoundsCommand } from './flow-bounds.ts'
import { addFlowRunCommands } from './flow-runs.ts'
import { addScheduleCommands, addWatchCommands } from './flow-schedule.ts'

export function addFlowCommands(program: Command, context: Context): void {
  const flow = program.command('flow').description('flows that are kept, their runs and schedules')
  addKeeping(flow, context)
  addEditing(flow, context)
  addLooking(flow, context)
  addBoundsCommand(flow, context)
  addFlowRunCommands(flow, context)
  addScheduleCommands(flow, context)
  addWatchCommands(flow, context)
}

interface SaveOptions {
  readonly replace?: boolean
  readonly asMine?: boolean
}

const SAVE_HELP = `
A file may have come with somebody else's project. You are shown what it does before its words count as yours;
\`cordon run FILE\` asks about every change until then, and again once the file is another.

Example:
  $ cordon flow save todos 'mcp-github-search-code --query TODO >> summarize-text'
  $ cordon flow save digest.flow`

function addKeeping(flow: Command, context: Context): void {
  flow
    .command('save')
    .argument('<name>', 'its name; left out, that of the file')
    .argument('[flow...]', 'a flow in quotes, or a *.flow or *.json file')
    .description('keep a flow under a name, with its tools as they are now')
    .option('--replace', 'replace the one of this name')
    .option('--as-mine', 'take the words of a file as your own without being shown what it does')
    .allowUnknownOption()
    .addHelpText('after', SAVE_HELP)
    .action(async (first: string, more: string[], options: SaveOptions, command: Command) => {
      const [name, words] = more.length > 0 ? [first, more] : [nameOfFile(first), [first]]
      const replace = options.replace === true
      await save(context, command, { name, replace }, async (api) => {
        const source = await sourceFrom(api, context.surface.workingFolder, words)
        await explainShell(context.surface, api, source, `cordon flow save ${name}`)
        await adoptFile(context, command, api, { source, asMine: options.asMine === true })
        return source
      })
    })
  flow
    .command('list')
    .description('list the saved flows')
    .addHelpText('after', '\nExample:\n  $ cordon flow list')
    .action(async (_options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('flows.list', {}))
      outputOf(context, command).answer(answer, () => describeSaved(answer.flows))
    })
  flow
    .command('remove')
    .argument('<name>')
    .description('forget a saved flow and its schedule; its runs stay')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  $ cordon flow remove todos')
    .action(async (name: string, options: { readonly yes?: boolean }, command: Command) => {
      await confirm(context, `Forget "${name}"?`, options.yes === true)
      const answer = await withApi(context, command, async (api) => {
        await api.call('flows.unschedule', { name })
        return await api.call('flows.remove', { name })
      })
      if (!answer.removed) throw noSuchFlow(name)
      outputOf(context, command).answer(answer, () => [`Removed ${name}.`])
    })
}

async function save(
  context: Context,
  command: Command,
  { name, replace }: Pick<Input<'flows.save'>, 'name' | 'replace'>,
  find: (api: Api) => Promise<FlowSource>,
): Promise<void> {
  const saved = await withApi(context, command, async (api) => {
    const source = await find(api)
    return await api.call('flows.save', { name, source, replace }, context.signal)
  })
  outputOf(context, command).answer(saved, () => [`Saved ${name}: ${saved.nodes.join(' >> ')}.`])
}

function addEditing(flow: Command, context: Context): void {
  flow
    .command('edit')
    .argument('<name>')
    .description('change a saved flow in your editor ($EDITOR); it is checked before it is kept')
    .addHelpText('after', '\nExample:\n  $ EDITOR=nano cordon flow edit todos')
    .action(async (name: string, _options: object, command: Command) => {
      const { text, ir } = await withApi(context, command, (api) =>
        api.call('flows.read', { name }),
      )
      const draft =
        text === undefined
          ? { name: `${name}.json`, text: `${JSON.stringify(ir, undefined, 2)}\n` }
          : { name: `${name}.flow`, text: withLineEnd(text) }
      const use = async (edited: string, file: string): Promise<void> => {
        if (edited === draft.text) {
          return outputOf(context, command).answer({ changed: false }, () => ['Nothing changed.'])
        }
        const find = async (): Promise<FlowSource> =>
          text === undefined
            ? { kind: 'ir', ir: parseJson(edited) }
            : { kind: 'text', text: edited }
        await save(context, command, { name, replace: true }, find).catch((error: unknown) => {
          throw keptIn(file, name, error)
        })
      }
      await context.surface.edit({ ...draft, use })
    })
}

/** Adds the path of the edited file to the hint, so that the person need not write the flow again. */
function keptIn(file: string, name: string, error: unknown): unknown {
  if (!(error instanceof CordonError)) return error
  const hint = `Correct ${JSON.stringify(file)}, where your words are kept, then run \`cordon flow save ${name} ${file} --replace\``
  return new CordonError(error.code, { exit: error.exit, hint }, error.message, error)
}

function withLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    throw new CordonError(
      'cli.flow-file',
      { exit: 2, hint: 'Mind quotes and commas' },
      'Cannot read what you wrote as JSON; the flow is as it was',
    )
  }
}

interface CheckOptions {
  readonly template?: string
}

const CHECK_HELP = `
Example:
  $ cordon flow check todos
  $ cordon flow check todos --template nightly`

const FORMATS = ['mermaid', 'dot', 'json', 'text'] as const

function addLooking(flow: Command, context: Context): void {
  const { workingFolder } = context.surface
  withRunOptions(
    flow
      .command('run')
      .argument('<name>', 'a saved flow, or a file')
      .description('run a saved flow (the same as `cordon run NAME`)')
      .addHelpText('after', '\nExample:\n  $ cordon flow run todos --input query=FIXME'),
  ).action(async (name: string, options: RunOptions, command: Command) => {
    await runFlow(context, command, options, () => savedOrFile(workingFolder, name))
  })
  flow
    .command('check')
    .argument('<flow...>', 'a flow in quotes, a file, or a saved name')
    .description('say what is wrong with it, what it needs, what it may do and what it will ask')
    .option('--template <name>', 'also against the limits of [templates.NAME] in config.toml')
    .allowUnknownOption()
    .addHelpText('after', CHECK_HELP)
    .action(async (words: string[], { template }: CheckOptions, command: Command) => {
      await withApi(context, command, async (api) => {
        const source = await sourceFrom(api, workingFolder, words)
        await explainShell(context.surface, api, source, 'cordon flow check')
        const limits = template === undefined ? {} : { template }
        await showCheck(context, command, api, { source, ...limits })
      })
    })
  flow
    .command('export')
    .argument('<flow>', 'a saved name, a file, or a flow in quotes')
    .description('draw which node leads where, or write it down whole with `--format json`')
    .option('--format <format>', FORMATS.join(', '), 'text')
    .addHelpText('after', '\nExample:\n  $ cordon flow export todos --format mermaid')
    .action(async (name: string, options: { readonly format: string }, command: Command) => {
      const format = formatFrom(options.format)
      const answer = await withApi(context, command, async (api) => {
        const source = await sourceFrom(api, workingFolder, [name])
        if (format !== 'json') return await api.call('flows.draw', { source, format })
        const { ir } = await api.call('flows.check', { source }, context.signal)
        return { ir, text: JSON.stringify(ir, undefined, 2) }
      })
      const data = 'ir' in answer ? answer.ir : answer
      outputOf(context, command).answer(data, () => [printable(answer.text.trimEnd())])
    })
}

async function savedOrFile(workingFolder: string, name: string): Promise<FlowSource> {
  const isFile = /\.(?:flow|json)$/.test(name)
  const source = isFile
    ? await readSource(path.resolve(workingFolder, name))
    : { kind: 'saved' as const, name }
  return inProject(source, workingFolder)
}

function formatFrom(word: string): (typeof FORMATS)[number] {
  const format = FORMATS.find((one) => one === word)
  if (format) return format
  throw new CordonError(
    'cli.format',
    { exit: 2, hint: `Use one of ${FORMATS.join(', ')}` },
    `Cannot write a flow as ${JSON.stringify(word)}`,
  )
}

function noSuchFlow(name: string): CordonError {
  return new CordonError(
    'cli.no-flow',
    { exit: 2, hint: 'Run `cordon flow list` to see the saved flows' },
    `Cannot find a saved flow ${JSON.stringify(name)}`,
  )
}
