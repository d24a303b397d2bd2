/** `flow bounds`: the screen on which a flow is allowed as a whole, without running it. */
import type { Command } from 'commander'
import { type Context, outputOf, withApi } from '../context.ts'
import { parseInputs, typedInputs } from '../flow/flow-inputs.ts'
import { sourceFrom } from '../flow/flow-source.ts'
import { amountFrom, UP_TO_HELP } from '../flow/run-flow.ts'
import type { Output } from '../../api/contract.ts'
import { paintLines } from './approval-view.ts'

interface BoundsOptions {
  readonly input?: readonly string[]
  readonly upTo?: number
}

export function addBoundsCommand(flow: Command, context: Context): void {
  flow
    .command('bounds')
    .argument('<flow...>', 'a flow in quotes, a file, or a saved name')
    .description('show what one answer would allow: which tools, to whom, how often, how much')
    .option('--input <name=value...>', 'what the flow is given')
    .option('--up-to <amount>', UP_TO_HELP, amountFrom)
    .allowUnknownOption()
    .addHelpText('after', '\nExample:\n  $ cordon flow bounds digest --input to=me@example.com')
    .action(async (words: string[], options: BoundsOptions, command: Command) => {
      const found = await withApi(context, command, async (api) => {
        const source = await sourceFrom(api, context.surface.workingFolder, words)
        const texts = parseInputs(options.input ?? [])
        const { inputs } = await typedInputs(api, { source, texts }, context.signal)
        const limit = options.upTo === undefined ? {} : { mostAmount: options.upTo }
        return await api.call('flows.bounds', { source, inputs, ...limit }, context.signal)
      })
      const { stdout } = context.surface.terminal
      outputOf(context, command).answer(found, () => [
        ...paintLines(found.lines, stdout),
        summary(found),
      ])
    })
}

function summary({ bounds, isAskedAtOnce }: Output<'flows.bounds'>): string {
  if (isAskedAtOnce) return 'A run asks you about all of this at once, before its first step.'
  const count = bounds.steps.length + bounds.open.length
  return count === 0
    ? 'A run asks you nothing.'
    : 'A run asks you about each of these in its own words, with all its values.'
}
