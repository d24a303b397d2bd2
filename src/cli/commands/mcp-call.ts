/**
 * `mcp call`: calls a tool, through the one door. If the call needs an approval, the owner is asked in this terminal;
 * non-interactively the call is refused at once, unless `--yes` or `--wait` says otherwise.
 */
import type { Command } from 'commander'
import type { Api, Input, Output } from '../../api/contract.ts'
import { CordonError, exitOfCall } from '../../kernel/error.ts'
import { printable } from '../../text/untrusted-text.ts'
import type { Json } from '../../text/json.ts'
import { showValue } from '../../text/show-value.ts'
import { splitTool } from '../../kernel/tool-id.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { printableLine } from '../output.ts'
import {
  APPROVAL_HINTS,
  type AskingOptions,
  approvalMode,
  attendApproval,
  isAnswered,
} from './approval-asking.ts'

export function addCallCommand(mcp: Command, context: Context): void {
  mcp
    .command('call')
    .argument('<server.tool>')
    .argument('[arguments]', 'a JSON object', '{}')
    .description('call a tool, through the one door')
    .option('-y, --yes', 'allow it with the command; only where every word is your own')
    .option('--wait', 'wait until it is answered elsewhere, for five minutes at most')
    .addHelpText('after', '\nExample:\n  $ cordon mcp call notion.search \'{"query": "plan"}\'')
    .action(async (tool: string, text: string, options: AskingOptions, command: Command) => {
      const { workingFolder } = context.surface
      const call = { ...parseTool(tool), workingFolder, args: parseArguments(text) }
      const result = await withApi(context, command, (api) => callOver(context, api, call, options))
      outputOf(context, command).answer(result, () => [
        result.kind === 'ok'
          ? printable(showValue(result.value))
          : printableLine(`${result.kind}: ${result.reason}`),
      ])
      if (result.kind === 'ok') return
      const hint = hintFor(result)
      if (hint) outputOf(context, command).note(`cordon: hint: ${hint}`)
      context.endWith(exitOfCall(result.kind))
    })
}

type Result = Output<'mcp.call'>

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
  if (approval !== 'wait') return await api.call('mcp.call', { ...call, approval }, context.signal)
  const callId = crypto.randomUUID()
  const ended = new AbortController()
  const signal = AbortSignal.any([context.signal, ended.signal])
  const calling = api
    .call('mcp.call', { ...call, callId, approval }, signal)
    .finally(() => ended.abort())
  const attending = attendApproval(terminal, api, { callId, wait: options.wait }, signal)
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

function parseArguments(text: string): Readonly<Record<string, Json>> {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, Json>>
    }
  } catch {
    // reported below, without the parser's message: it would quote the text
  }
  throw new CordonError(
    'cli.arguments',
    { exit: 2, hint: 'Give one JSON object in quotes, as in \'{"query": "plan"}\'' },
    'Cannot read the arguments as a JSON object',
  )
}
