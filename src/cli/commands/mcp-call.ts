/**
 * `mcp call`: calls a tool, through the one door. If the call needs an approval, the owner is asked in this terminal;
 * non-interactively the call is refused at once, unless `--yes` or `--wait` says otherwise.
 */
import type { Command } from 'commander'
import type { Api, Input, Output } from '../../api/contract.ts'
import { CordonError, exitOfCall } from '../../kernel/error.ts'
import { printable } from '../../text/untrusted-text.ts'
import type { Json } from '../../text/json.ts'
import { attachmentsIn } from '../../text/attachments.ts'
import { readCallArguments } from '../../text/call-arguments.ts'
import { expandHome, holdsHomePath } from '../../text/expand-home.ts'
import { type Answer, showAnswer } from '../../text/show-result.ts'
import { splitTool } from '../../kernel/tool-id.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { canAskAboutVault, openVaultHere } from '../open-vault-here.ts'
import { drawPicture } from '../draw-picture.ts'
import { printableLine } from '../output.ts'
import { readHomePlace } from '../read-home-place.ts'
import { saveResult } from '../save-result.ts'
import {
  APPROVAL_HINTS,
  type AskingOptions,
  approvalMode,
  attendApproval,
  isAnswered,
} from './approval-asking.ts'
import { attendQuestions, canAnswer } from './attend-questions.ts'
import { describeCall, findTool, nearestNames } from './call-help.ts'
import { withStepUp } from './step-up.ts'
import { withHosts } from './with-hosts.ts'

export interface CallOptions extends AskingOptions {
  readonly out?: string
  readonly help?: boolean
}

const EXAMPLES = `
Arguments are written as name=value, --name value, or one JSON object. A value that begins with ~/ is
a path in your home, if the server was given a folder there (\`cordon mcp show SERVER\`: may read).

Example:
  $ cordon mcp call notion.search query=plan
  $ cordon mcp call notion.search '{"query": "plan"}'
  $ cordon mcp call notion.search --help
  $ cordon mcp call charts.draw --title Sales --out sales.png`

export function addCallCommand(mcp: Command, context: Context): void {
  mcp
    .command('call')
    .argument('[server.tool]')
    .argument('[arguments...]', 'name=value, --name value, or a JSON object')
    .description('call a tool, through the one door')
    .option('-y, --yes', 'allow it with the command; only where every word is your own')
    .option('--wait', 'wait until it is answered elsewhere, for five minutes at most')
    .option('--out <place>', 'save what it gives: pictures and files as they are, all else as text')
    .helpOption(false)
    .option('-h, --help', 'show the arguments of the tool')
    .allowUnknownOption()
    .addHelpText('after', EXAMPLES)
    .action(
      async (tool: string | undefined, words: string[], _options: object, command: Command) => {
        const options = command.opts<CallOptions>()
        if (options.help && tool === undefined) command.help()
        const named = { ...parseTool(tool ?? ''), workingFolder: context.surface.workingFolder }
        await withApi(context, command, async (api) => {
          if (options.help) return await showHelp({ context, command, api }, named)
          const args = await readArguments(context, api, named, words)
          const result = await performCall({ context, command, api }, { ...named, args }, options)
          await showCall({ context, command, api }, { ...named, options, result })
        })
      },
    )
}

/** Makes the call; asks where a host, a permission or the vault is in its way. */
export async function performCall(
  run: Run,
  call: Parameters<typeof callOver>[2] & Named,
  options: AskingOptions,
): Promise<Result> {
  const { context, command, api } = run
  const asking = { api, output: outputOf(context, command) }
  return await withStepUp(context, asking, call.server, () =>
    withHosts(context, asking, call, () => callUnlocking(run, call, options)),
  )
}

interface Run {
  readonly context: Context
  readonly command: Command
  readonly api: Api
}

type Named = Required<Pick<Input<'mcp.call'>, 'server' | 'workingFolder' | 'tool'>>

async function showHelp({ context, command, api }: Run, named: Named): Promise<void> {
  const found = await findTool(api, named)
  const output = outputOf(context, command)
  if (found) return output.answer(found, () => describeCall(named, found))
  const hint = await nearestNames(api, named, 'tool.unknown')
  throw new CordonError(
    'cli.tool',
    { exit: 2, hint: hint ?? '`cordon mcp tools SERVER` lists the tools of a server' },
    `Cannot find tool ${JSON.stringify(`${named.server}.${named.tool}`)}`,
  )
}

/** One JSON object needs no schema; words are read by the tool's own. */
async function readArguments(
  { surface }: Context,
  api: Api,
  named: Named,
  words: readonly string[],
): Promise<Readonly<Record<string, Json>>> {
  const isObject = words.length === 1 && /^\s*\{/.test(words[0] ?? '')
  const schema =
    words.length === 0 || isObject ? undefined : (await findTool(api, named))?.inputSchema
  const typed = words.map((text) => ({ text }))
  const place = holdsHomePath(words) ? await readHomePlace(surface, api, named.server) : undefined
  const read = readCallArguments(typed, schema, place && ((text) => expandHome(text, place)))
  if (read.kind === 'read') return read.args
  throw new CordonError(
    'cli.arguments',
    {
      exit: 2,
      hint: `Write name=value, --name value, or one JSON object in quotes; see \`cordon mcp call ${named.server}.${named.tool} --help\``,
    },
    `Cannot read the arguments: ${read.what}`,
  )
}

export type Result = Output<'mcp.call'>

export async function showCall(
  { context, command, api }: Run,
  call: Named & { readonly options: CallOptions; readonly result: Result },
): Promise<void> {
  const { options, result, workingFolder } = call
  const output = outputOf(context, command)
  if (result.kind === 'ok' && options.out !== undefined) {
    const files = await saveResult(result, options.out, workingFolder)
    return output.answer({ kind: 'ok', files }, () =>
      files.map((file) => `saved ${printableLine(file)}`),
    )
  }
  output.answer(result, () => [
    result.kind === 'ok'
      ? printable(showAnswer(result, '--out FILE saves it'))
      : printable(`${result.kind}: ${result.reason}`),
  ])
  if (result.kind === 'ok') return output.json ? undefined : drawAll(context, result)
  const rule = result.kind === 'refused' ? (result.rule ?? '') : ''
  const near = output.json ? undefined : await nearestNames(api, call, rule).catch(() => undefined)
  const hint = near ?? hintFor(result)
  if (hint) output.note(`cordon: hint: ${hint}`)
  context.endWith(exitOfCall(result.kind))
}

/** Below the text, which names each picture: where the terminal draws none, `--out` saves it. */
function drawAll({ surface: { terminal } }: Context, { value, beside = [] }: Answer): void {
  const { pictures, stdout } = terminal
  if (pictures === undefined) return
  for (const picture of [...attachmentsIn(value), ...attachmentsIn(beside)]) {
    const drawn = drawPicture(picture, pictures)
    if (drawn !== undefined) stdout.write(`${drawn}\n`)
  }
}

/** A call that fails for want of a locked vault is made again: its server was never started, so nothing is done twice. */
async function callUnlocking(
  { context, command, api }: Run,
  call: Parameters<typeof callOver>[2],
  options: AskingOptions,
): Promise<Result> {
  const first = await callOver(context, api, call, options)
  const { json } = outputOf(context, command)
  if (!isLockedOut(first) || !canAskAboutVault(context, json)) return first
  await openVaultHere(context, api)
  return await callOver(context, api, call, options)
}

function isLockedOut(result: Result): boolean {
  return result.kind === 'failed' && result.code === 'vault.locked'
}

function hintFor(result: Exclude<Result, { readonly kind: 'ok' }>): string | undefined {
  return result.kind === 'refused' ? APPROVAL_HINTS[result.rule ?? ''] : result.hint
}

async function callOver(
  context: Context,
  api: Api,
  call: Pick<Input<'mcp.call'>, 'server' | 'workingFolder' | 'tool' | 'args'>,
  options: AskingOptions,
): Promise<Result> {
  const { terminal } = context.surface
  const approval = approvalMode(terminal, options)
  const isThere = canAnswer(terminal)
  if (approval !== 'wait' && !isThere)
    return await api.call('mcp.call', { ...call, approval }, context.signal)
  const callId = crypto.randomUUID()
  const ended = new AbortController()
  const signal = AbortSignal.any([context.signal, ended.signal])
  const calling = api
    .call('mcp.call', { ...call, callId, approval, ...(isThere && { canAnswer: true }) }, signal)
    .finally(() => ended.abort())
  const attending = Promise.all([
    approval === 'wait' && attendApproval(terminal, api, { callId, wait: options.wait }, signal),
    isThere && attendQuestions(terminal, api, callId, signal),
  ])
  // After the call has ended, or was answered elsewhere, there is nothing to ask. Any other error aborts the call too.
  const attended = attending.catch((error: unknown) => {
    if (ended.signal.aborted || isAnswered(error)) return
    ended.abort()
    throw error
  })
  const [, result] = await Promise.all([attended, calling])
  return result
}

export function parseTool(text: string): { readonly server: string; readonly tool: string } {
  const named = splitTool(text)
  if (named) return named
  throw new CordonError(
    'cli.tool',
    { exit: 2, hint: 'Write it like `notion.search`; `cordon mcp tools notion` lists them' },
    `Cannot read ${JSON.stringify(text)} as a tool`,
  )
}
