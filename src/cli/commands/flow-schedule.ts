/** `flow schedule|unschedule|schedules`: flows that run on a schedule. */
import type { Command } from 'commander'
import { type Context, outputOf, withApi } from '../context.ts'
import { parseInputs, typedInputs } from '../flow/flow-inputs.ts'
import { describeSchedules } from '../flow/flow-view.ts'

interface ScheduleOptions {
  readonly cron: string
  readonly timezone?: string
  readonly template: string
  readonly sink?: readonly string[]
  readonly input?: readonly string[]
}

const HELP = `
It runs as nobody in person: within [templates.NAME] of config.toml, and what it gives goes to the named sinks
only. \`sink:owner\` keeps it with the run, for \`cordon flow show\`. A time that passes while Cordon is not
running is not made up for.

Example:
  $ cordon flow schedule todos --cron '0 9 * * 1-5' --timezone Europe/Lisbon --template nightly --sink sink:owner`

export function addScheduleCommands(flow: Command, context: Context): void {
  flow
    .command('schedule')
    .argument('<name>', 'a saved flow')
    .description('let a saved flow run by itself')
    .requiredOption('--cron <times>', 'minute hour day month weekday')
    .requiredOption('--template <name>', 'what it may do: [templates.NAME] in config.toml')
    .option('--sink <sink...>', 'where what it gives may go, such as sink:owner')
    .option('--timezone <zone>', 'such as Europe/Lisbon; UTC without')
    .option('--input <name=value...>', 'what the flow is given each time')
    .addHelpText('after', HELP)
    .action(async (name: string, options: ScheduleOptions, command: Command) => {
      const { cron, template, sink: sinks = [], timezone, input = [] } = options
      const flow = { source: { kind: 'saved', name }, texts: parseInputs(input) } as const
      const made = await withApi(context, command, async (api) => {
        const { inputs } = await typedInputs(api, flow, context.signal)
        const request = { name, cron, template, sinks, inputs, ...(timezone && { timezone }) }
        return await api.call('flows.schedule', request)
      })
      outputOf(context, command).answer(made, () => describeSchedules([made]))
    })
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
