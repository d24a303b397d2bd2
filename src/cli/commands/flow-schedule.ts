/** `flow schedule|unschedule|schedules|watches|unwatch`: what runs by itself. */
import { type Command, Option } from 'commander'
import { OWNER_SINK, TELEGRAM_SINK } from '../../labels/sink.ts'
import {
  CATCH_UPS,
  type CatchUp,
  type Overlap,
  OVERLAPS,
  USUAL_RULES,
} from '../../text/say-rules.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { parseInputs, typedInputs } from '../flow/flow-inputs.ts'
import { describeSchedules, describeWatches } from '../flow/flow-view.ts'
import { wholeNumber } from './whole-number.ts'

interface ScheduleOptions {
  readonly cron?: string
  readonly timezone?: string
  readonly template?: string
  readonly tell?: keyof typeof CHANNELS
  readonly sink?: readonly string[]
  readonly input?: readonly string[]
  readonly overlap: Overlap
  readonly catchUp: CatchUp | false
}

const HELP = `
It runs as nobody in person: with the tools of the flow and no others, or within [templates.NAME] of config.toml; every
change asks you. The result comes to the named channel only, after a check of what may be told there; where that cannot
be reached, to your notices. 

At a time that comes while its last run still goes on, it is left out (--overlap skip); or it runs once more afterwards
(one), once for each such time (queue), or at the same time (together). When times pass while Cordon does not run or the
machine sleeps, it runs once afterwards and a notice says so (--catch-up once); or for each of them (all), or for none.

Example:
  $ cordon flow schedule todos weekdays at 8 --tell telegram
  $ cordon flow schedule todos every 10 minutes --overlap queue --catch-up all
  $ cordon flow schedule todos --cron '0 9 * * 1-5' --timezone Europe/Lisbon --template nightly --sink sink:owner`

export function addScheduleCommands(flow: Command, context: Context): void {
  addSchedule(flow, context)
  flow
    .command('unschedule')
    .argument('<name>')
    .description('let it run by itself no longer')
    .addHelpText('after', '\nExample:\n  $ cordon flow unschedule todos')
    .action(async (name: string, _options: object, command: Command) => {
      const answer = await withApi(context, command, (api) =>
        api.call('flows.unschedule', { name }),
      )
      outputOf(context, command).answer(answer, () => [
        answer.removed ? `${name} no longer runs by itself.` : `${name} had no schedule.`,
      ])
    })
  flow
    .command('schedules')
    .description('list what runs by itself, and when next')
    .addHelpText('after', '\nExample:\n  $ cordon flow schedules')
    .action(async (_options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('flows.schedules', {}))
      outputOf(context, command).answer(answer, () => describeSchedules(answer.schedules))
    })
}

/** A watch is set in the chat: `tell me when ~/notes/todo.txt changes`. */
export function addWatchCommands(flow: Command, context: Context): void {
  flow
    .command('watches')
    .description('list what is looked at again and again')
    .addHelpText('after', '\nExample:\n  $ cordon flow watches')
    .action(async (_options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('watches.list', {}))
      outputOf(context, command).answer(answer, () => describeWatches(answer.watches))
    })
  flow
    .command('unwatch')
    .argument('<number>', 'as `cordon flow watches` lists it', wholeNumber)
    .description('look at it no longer')
    .addHelpText('after', '\nExample:\n  $ cordon flow unwatch 1')
    .action(async (number: number, _options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('watches.stop', { number }))
      outputOf(context, command).answer(answer, () => [
        answer.removed ? `Watch ${number} has ended.` : `There is no watch ${number}.`,
      ])
    })
}

function addSchedule(flow: Command, context: Context): void {
  flow
    .command('schedule')
    .argument('<name>', 'a saved flow')
    .argument('[times...]', 'such as: weekdays at 8, every 2 hours, tomorrow at 9')
    .description('let a saved flow run by itself')
    .option('--cron <times>', 'in place of words: minute hour day month weekday')
    .addOption(
      new Option('--tell <channel>', 'where the result goes; here: terminal and page').choices(
        Object.keys(CHANNELS),
      ),
    )
    .option('--template <name>', 'what it may do: [templates.NAME] in config.toml')
    .option('--sink <sink...>', 'where the result goes, by name, such as sink:telegram:peer:1234')
    .option('--timezone <zone>', 'such as Europe/Lisbon; without: yours for words, UTC for --cron')
    .option('--input <name=value...>', 'what the flow is given each time')
    .addOption(
      new Option('--overlap <rule>', 'at a time that comes while its last run still goes on')
        .choices(OVERLAPS)
        .default(USUAL_RULES.overlap),
    )
    .addOption(
      new Option('--catch-up <which>', 'of the times that passed while Cordon did not run')
        .choices(CATCH_UPS)
        .default(USUAL_RULES.catchUp),
    )
    .option('--no-catch-up', 'the same as --catch-up none')
    .addHelpText('after', HELP)
    .action(async (name: string, words: string[], options: ScheduleOptions, command: Command) => {
      const { cron, template, timezone, input = [], overlap } = options
      const catchUp = options.catchUp || 'none'
      const sinks = sinksFrom(options)
      const flow = { source: { kind: 'saved', name }, texts: parseInputs(input) } as const
      const made = await withApi(context, command, async (api) => {
        const { inputs } = await typedInputs(api, flow, context.signal)
        const when = { ...(words.length > 0 && { times: words.join(' ') }), ...(cron && { cron }) }
        const limits = { ...(template && { template }), ...(timezone && { timezone }) }
        const given = { name, inputs, overlap, catchUp, ...(sinks.length > 0 && { sinks }) }
        return await api.call('flows.schedule', { ...given, ...when, ...limits })
      })
      outputOf(context, command).answer(made, () => [...describeSchedules([made]), ...made.remarks])
    })
}

const CHANNELS = { here: OWNER_SINK.name, telegram: TELEGRAM_SINK.name } as const

function sinksFrom({ tell, sink = [] }: ScheduleOptions): readonly string[] {
  return tell === undefined ? sink : [...sink, CHANNELS[tell]]
}
