/**
 * `tools mark`: the owner's word on what the tools of a server do. Without an option it shows what they claim, and asks
 * at a terminal; every answer names the hash of the list that was shown, so a list that changed meanwhile is refused.
 */
import { type Command, Option } from 'commander'
import type { Api } from '../../api/contract.ts'
import { isOffered, showMarked, showProposal } from '../../api/show-proposal.ts'
import { CordonError } from '../../kernel/error.ts'
import { SEMANTICS, type Semantics } from '../../kernel/server-definition.ts'
import { splitTool } from '../../kernel/tool-id.ts'
import type { MarkChange, ToolProposal } from '../../kernel/tool-proposal.ts'
import { askKey } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { listMarks } from './proposal-view.ts'

interface MarkOptions {
  readonly asSaid?: boolean
  readonly effect?: Semantics
  readonly clear?: boolean
  readonly list?: boolean
}

export function addMarkCommand(tools: Command, context: Context): void {
  const one = (flag: string, text: string, others: string[]): Option =>
    new Option(flag, text).conflicts(others)
  tools
    .command('mark')
    .argument('<server>', 'a server, or one tool as SERVER.TOOL')
    .argument('[tools...]', 'tools of it; after SERVER.TOOL, the effect')
    .description(
      'say what tools do; what their names and their server say can only make it stricter',
    )
    .addOption(one('--as-said', 'take what they say; doubtful ones only if named', ['effect']))
    .addOption(
      one('--effect <effect>', 'what the named tools do', ['clear']).choices([...SEMANTICS]),
    )
    .addOption(one('--clear', 'take your word back, of all or of the named tools', ['asSaid']))
    .addOption(one('--list', 'show every tool, what counts and by whose word', ['asSaid', 'clear']))
    .addHelpText('after', EXAMPLES)
    .action(async (server: string, words: string[], options: MarkOptions, command: Command) => {
      await mark(context, command, parseWords(server, words, options))
    })
}

const EXAMPLES = `
Example:
  $ cordon tools mark notes                          # what they say, and whether to take it
  $ cordon tools mark notes --as-said
  $ cordon tools mark notes search --effect read
  $ cordon tools mark notes.search read
  $ cordon tools mark notes --clear`

interface Wish {
  readonly server: string
  readonly change?: MarkChange
  readonly isList: boolean
}

function parseWords(first: string, words: readonly string[], options: MarkOptions): Wish {
  const named = splitTool(first)
  const effect = options.effect ?? (named ? parseEffect(words) : undefined)
  const server = named?.server ?? first
  const tools = named ? [named.tool] : words
  const change = changeFor(options, effect, tools)
  return { server, isList: options.list === true, ...(change && { change }) }
}

function changeFor(
  { clear, asSaid }: MarkOptions,
  effect: Semantics | undefined,
  tools: readonly string[],
): MarkChange | undefined {
  const about = tools.length > 0 ? { tools } : {}
  if (clear) return { kind: 'clear', ...about }
  if (asSaid) return { kind: 'as-said', ...about }
  if (effect === undefined) return undefined
  if (tools.length === 0) throw noTool()
  return { kind: 'effect', effect, tools }
}

/** `notes.search read`: the effect as a word. */
function parseEffect(words: readonly string[]): Semantics | undefined {
  const [word, ...more] = words
  if (word === undefined) return undefined
  const known = SEMANTICS.find((one) => one === word)
  if (known && more.length === 0) return known
  throw new CordonError(
    'cli.semantics',
    { exit: 2, hint: `Use one of ${SEMANTICS.join(', ')}` },
    `Cannot read ${JSON.stringify(words.join(' '))} as what a tool does`,
  )
}

async function mark(context: Context, command: Command, wish: Wish): Promise<void> {
  const output = outputOf(context, command)
  await withApi(context, command, async (api) => {
    const { server, change } = wish
    const proposal = await api.call('tools.proposal', { server })
    if (change) {
      const marked = await api.call('tools.mark', { server, set: proposal.set, change })
      return output.answer(marked, () => describeMarked(proposal, marked))
    }
    if (wish.isList) return output.answer(proposal, () => listMarks(proposal))
    const taken = output.json ? undefined : await offerProposal(context, api, proposal)
    output.answer(taken ?? proposal, () => {
      return taken ? describeMarked(proposal, taken) : showProposal(proposal)
    })
  })
}

/**
 * Shows the proposal at a terminal and asks whether to take it. Undefined if nothing was taken, also where nobody can
 * be asked. Anything but a yes takes nothing.
 */
export async function offerProposal(
  context: Context,
  api: Api,
  proposal: ToolProposal,
): Promise<ToolProposal | undefined> {
  const { terminal } = context.surface
  const isThere = terminal.stdin.isTTY && terminal.stderr.isTTY
  if (!isThere || !isOffered(proposal)) return undefined
  terminal.stderr.write(`${showProposal(proposal).join('\n')}\n`)
  const key = await askKey(terminal, 'Take them so?', NO_OR_YES, context.signal)
  if (key !== 'y') return undefined
  const { server, set } = proposal
  return await api.call('tools.mark', { server, set, change: { kind: 'as-said' } })
}

const NO_OR_YES = [
  ['n', 'no, ask me about each as before'],
  ['y', 'yes, as long as they stay as they are'],
] as const

export function describeMarked(before: ToolProposal, now: ToolProposal): readonly string[] {
  return [
    showMarked(before, now),
    `Change it with \`cordon tools mark ${now.server} TOOL --effect EFFECT\`, or take it back with \`--clear\`.`,
  ]
}

function noTool(): CordonError {
  return new CordonError(
    'cli.no-tool',
    {
      exit: 2,
      hint: 'Name the tools, for example: `cordon tools mark notes search --effect read`',
    },
    'Cannot mark tools without their names',
  )
}
