/** Runs a flow from the command line. Its result goes to standard output, everything else to standard error. */
import type { Command } from 'commander'
import type { Api, Input } from '../../api/contract.ts'
import { CordonError, type ExitCode } from '../../kernel/error.ts'
import type { FlowRun, FlowSource } from '../../ports/flow-port.ts'
import { showUsage } from '../../text/token-usage.ts'
import { APPROVAL_HINTS, type AskingOptions, approvalMode } from '../commands/approval-asking.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { stepUpBefore } from '../commands/step-up.ts'
import { gatherInputs, parseInputs } from './flow-inputs.ts'
import { describeCheck, describeEnd, showOutputs } from './flow-view.ts'
import { followRun } from './follow-run.ts'
import { explainShell } from './explain-shell.ts'

export interface RunOptions extends AskingOptions {
  readonly input?: readonly string[]
  /** commander's spelling of `--no-cache`. */
  readonly cache?: boolean
  readonly trustPure?: boolean
  readonly trustReadonly?: boolean
  readonly dryRun?: boolean
  readonly upTo?: number
}

export function withRunOptions(command: Command): Command {
  return command
    .option('--input <name=value...>', 'what the flow is given')
    .option('-y, --yes', 'allow its calls with the command; only where every word is your own')
    .option('--wait', 'wait until questions are answered elsewhere')
    .option('--no-cache', 'ask again, also where an answer is remembered')
    .option('--trust-pure', 'take a server’s word that a tool only reads: remember its answers')
    .option('--trust-readonly', 'the same, under its other name')
    .option('--up-to <amount>', UP_TO_HELP, amountFrom)
    .option('--dry-run', 'only show what would happen')
}

export const UP_TO_HELP =
  'the most that an amount may be which is not known yet, if you allow the plan as a whole'

export function amountFrom(text: string): number {
  const amount = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (amount <= MOST_AMOUNT) return amount
  throw new CordonError(
    'cli.amount',
    { exit: 2, hint: 'Write a number up to 1000000, such as `--up-to 50`' },
    `Cannot take ${JSON.stringify(text.slice(0, 40))} as a limit for amounts`,
  )
}

const MOST_AMOUNT = 1_000_000

export async function runFlow(
  context: Context,
  command: Command,
  options: RunOptions,
  find: (api: Api) => Promise<FlowSource>,
): Promise<void> {
  const texts = parseInputs(options.input ?? [])
  await withApi(context, command, async (api) => {
    const source = await find(api)
    await explainShell(context.surface, api, source)
    if (options.dryRun) return await showCheck(context, command, api, { source })
    const { terminal, workingFolder } = context.surface
    const given = await gatherInputs(api, terminal, { source, texts }, context.signal)
    await stepUpBefore(context, { api, output: outputOf(context, command) }, source)
    const { id } = await api.call('flows.start', {
      id: crypto.randomUUID(),
      source,
      ...given,
      folder: workingFolder,
      approval: approvalMode(terminal, options),
      ...(options.upTo !== undefined && { mostAmount: options.upTo }),
      useCache: options.cache !== false,
      trust: [
        ...(options.trustPure ? (['pure'] as const) : []),
        ...(options.trustReadonly ? (['readonly'] as const) : []),
      ],
    })
    await attendRun(context, command, api, { id, wait: options.wait === true })
  })
}

export async function showCheck(
  context: Context,
  command: Command,
  api: Api,
  checked: Input<'flows.check'>,
): Promise<void> {
  const check = await api.call('flows.check', checked, context.signal)
  outputOf(context, command).answer(check, () => describeCheck(check))
  if (!check.isSound) context.endWith(2)
}

/** Follows a run from its present state to its end, and sets the exit code. */
export async function attendRun(
  context: Context,
  command: Command,
  api: Api,
  attended: { readonly id: string; readonly wait: boolean },
): Promise<void> {
  const { terminal } = context.surface
  const output = outputOf(context, command)
  const run = await followRun(api, terminal, attended, context.signal)
  const { outputs } = run.state === 'completed' ? await api.call('flows.show', { id: run.id }) : {}
  output.answer({ ...run, ...(outputs && { outputs }) }, () => showOutputs(outputs ?? {}))
  if (run.usage && !output.json) output.note(`cordon: ${showUsage(run.usage)}`)
  if (run.state === 'completed') return
  if (!output.json) tellEnd(run, (line) => output.note(line))
  context.endWith(exitOf(run))
}

function tellEnd(run: FlowRun, say: (line: string) => void): void {
  const { id, state, problem } = run
  if (state === 'cancelled') return say(`cordon: run ${id} is cancelled`)
  if (!problem) return describeEnd(run).forEach((line) => say(`cordon: ${line.trimStart()}`))
  const hint = (APPROVAL_HINTS[problem.rule ?? ''] ?? problem.hint).replace(/\bRUN\b/g, id)
  say(`cordon: error: ${problem.message}`)
  say(`cordon: hint: ${hint}`)
  if (!hint.includes(id)) say(`cordon: hint: Run \`cordon flow show ${id}\` to see how far it came`)
}

const EXITS: readonly (readonly [RegExp, ExitCode])[] = [
  [/^(?:approval|grant|template)\./, 3],
  [/^flows\.(?:refused|pin-changed)$/, 3],
  [/^flows\.missing-input$/, 2],
]

/** The exit codes of `mcp call`: 3 for a refused or cancelled run, 5 for a failure. */
function exitOf({ state, problem }: FlowRun): ExitCode {
  if (state === 'cancelled') return 3
  return EXITS.find(([code]) => code.test(problem?.code ?? ''))?.[1] ?? 5
}
