/** `memory …`: the facts, results and turns that Cordon keeps. Whatever is forgotten is asked about first. */
import type { Command } from 'commander'
import type { Output } from '../../api/contract.ts'
import {
  showCounts,
  showFact,
  showResultLine,
  showSource,
  showTurn,
} from '../../api/show-memory.ts'
import { CordonError } from '../../kernel/error.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { printableLine } from '../output.ts'
import { writeNew } from '../write-new.ts'
import { wholeNumber } from './whole-number.ts'

export function addMemoryCommands(program: Command, context: Context): void {
  const memory = program.command('memory').description('the facts that Cordon keeps for you')
  addReading(memory, context)
  addKeeping(memory, context)
  addForget(memory, context)
  addExport(memory, context)
}

function addReading(memory: Command, context: Context): void {
  memory
    .command('list')
    .description('list the facts, with the message each came from, and the last results')
    .addHelpText('after', '\nExample:\n  $ cordon memory list')
    .action(async (_options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('memory.list', {}))
      outputOf(context, command).answer(answer, () => describe(answer))
    })
  memory
    .command('search')
    .argument('<words...>')
    .description('search the facts and all earlier turns')
    .addHelpText('after', '\nExample:\n  $ cordon memory search dentist')
    .action(async (words: string[], _options: object, command: Command) => {
      const wanted = words.join(' ')
      const answer = await withApi(context, command, (api) =>
        api.call('memory.search', { words: wanted }),
      )
      outputOf(context, command).answer(answer, () => describeFound(answer))
    })
  memory
    .command('state')
    .description('show what every prompt to a model begins with')
    .addHelpText('after', '\nExample:\n  $ cordon memory state')
    .action(async (_options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('memory.state', {}))
      outputOf(context, command).answer(answer, () => answer.text.split('\n'))
    })
}

function addKeeping(memory: Command, context: Context): void {
  memory
    .command('add')
    .argument('<words...>', 'one sentence')
    .description('keep a fact; one about the same subject is replaced')
    .addHelpText('after', '\nExample:\n  $ cordon memory add my dentist is Dr. Adeyemi')
    .action(async (words: string[], _options: object, command: Command) => {
      const text = words.join(' ')
      const kept = await withApi(context, command, (api) => api.call('memory.remember', { text }))
      outputOf(context, command).answer(kept, () => describeKept(kept))
    })
  memory
    .command('edit')
    .argument('<number>', 'as `cordon memory list` shows it', wholeNumber)
    .argument('<words...>', 'the new sentence')
    .description('change a fact')
    .addHelpText('after', '\nExample:\n  $ cordon memory edit 3 my dentist is Dr. Osei')
    .action(async (number: number, words: string[], _options: object, command: Command) => {
      const text = words.join(' ')
      const kept = await withApi(context, command, (api) =>
        api.call('memory.edit', { number, text }),
      )
      outputOf(context, command).answer(kept, () => describeKept(kept))
    })
}

interface Forget {
  readonly turn?: number
  readonly from?: string
  readonly yes?: boolean
}

function addForget(memory: Command, context: Context): void {
  memory
    .command('forget')
    .argument('[numbers...]', 'facts, as `cordon memory list` shows them')
    .option('--turn <number>', 'a turn, as `cordon memory search` shows it', wholeNumber)
    .option('--from <source>', 'everything that came from a server, a day or a channel')
    .option('--yes', 'do not ask')
    .description('forget facts, a turn, or everything that came from somewhere')
    .addHelpText(
      'after',
      '\nA source is `notion`, `today`, `2026-11-16`, `telegram`, or `everywhere`.\n\nExample:\n  $ cordon memory forget 3\n  $ cordon memory forget --from notion',
    )
    .action(async (numbers: string[], { turn, from, yes }: Forget, command: Command) => {
      const facts = numbers.map(wholeNumber)
      const named = {
        ...(facts.length > 0 && { facts }),
        ...(turn !== undefined && { turns: [turn] }),
      }
      const input = from === undefined ? named : { from }
      if (Object.keys(input).length === 0 || (from !== undefined && Object.keys(named).length > 0))
        throw saysNotWhat()
      const answer = await withApi(context, command, async (api) => {
        const counts =
          from === undefined
            ? { facts: facts.length, results: 0, turns: turn === undefined ? 0 : 1 }
            : await api.call('memory.forget', { from, dryRun: true })
        if (total(counts) === 0) return counts
        await confirm(context, `Forget ${showCounts(counts)}, for good?`, yes === true)
        return await api.call('memory.forget', input)
      })
      outputOf(context, command).answer(answer, () => [`Forgotten: ${showCounts(answer)}.`])
    })
}

function addExport(memory: Command, context: Context): void {
  memory
    .command('export')
    .option('--out <file>', 'write it to a new file, readable by you alone')
    .description('print everything that is kept, as plain text')
    .addHelpText('after', '\nExample:\n  $ cordon memory export --out memory.txt')
    .action(async ({ out }: { readonly out?: string }, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('memory.export', {}))
      const output = outputOf(context, command)
      if (out === undefined) {
        output.answer(answer, () => answer.text.trimEnd().split('\n'))
        return
      }
      await writeNew(out, answer.text)
      output.answer({ file: out }, () => [`Written to ${printableLine(out)}.`])
    })
}

function describe({ facts, results }: Output<'memory.list'>): readonly string[] {
  if (facts.length === 0 && results.length === 0)
    return ['No facts are kept. Keep one: cordon memory add my dentist is Dr. Adeyemi']
  return [
    ...facts.flatMap((fact) => [showFact(fact), `   ${showSource(fact)}`]),
    ...results.map(showResultLine),
  ].map(printableLine)
}

function describeFound({ facts, turns }: Output<'memory.search'>): readonly string[] {
  if (facts.length === 0 && turns.length === 0) return ['Nothing that is kept holds these words.']
  return [...facts.map(showFact), ...turns.flatMap((turn) => showTurn(turn).split('\n'))]
}

function describeKept({ fact, replaced }: Output<'memory.remember'>): readonly string[] {
  const before = replaced === undefined ? [] : [`It replaces: ${printableLine(replaced.text)}`]
  return [printableLine(showFact(fact)), ...before]
}

function total({ facts, results, turns }: Output<'memory.forget'>): number {
  return facts + results + turns
}

function saysNotWhat(): CordonError {
  return new CordonError(
    'cli.forget-what',
    { exit: 2, hint: 'Name facts by number, a turn with `--turn`, or a source with `--from`' },
    'Cannot forget: the command does not say what',
  )
}
