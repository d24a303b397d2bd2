/** `policy replay`: what would have been asked, allowed and stopped with other permissions. Changes nothing. */
import type { Command } from 'commander'
import { CordonError } from '../../kernel/error.ts'
import type { Decided, ReplayReport, TriedGrant } from '../../text/replay-report.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { columns, printableLine } from '../output.ts'
import { wholeNumber } from './whole-number.ts'

interface Options {
  readonly days: number
  readonly grant?: readonly string[]
  readonly without?: readonly string[]
}

export function addPolicyCommands(program: Command, context: Context): void {
  const policy = program.command('policy').description('how calls are decided')
  policy
    .command('replay')
    .description('decide the calls of the last days again, with permissions added or left out')
    .option('--days <n>', 'how many days back', wholeNumber, 30)
    .option('--grant <grant...>', 'as if you had given it: tool:SERVER.TOOL, flow:FROM:SERVER.TOOL')
    .option('--without <id...>', 'as if you had not given this grant')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon policy replay\n  $ cordon policy replay --grant tool:todo.close_task --days 7',
    )
    .action(async ({ days, grant = [], without = [] }: Options, command: Command) => {
      const request = { days, grants: grant.map(readGrant), without }
      const report = await withApi(context, command, (api) => api.call('policy.replay', request))
      outputOf(context, command).answer(report, () => describe(report, days))
    })
}

function readGrant(text: string): TriedGrant {
  const [kind, ...rest] = text.split(':')
  const tool = rest.at(-1) ?? ''
  const isTool = /^[^.\s]+\.\S+$/.test(tool)
  if (isTool && kind === 'tool' && rest.length === 1) return { kind, tool }
  const [origin = ''] = rest
  if (isTool && kind === 'flow' && rest.length === 2 && origin !== '') return { kind, origin, tool }
  throw new CordonError(
    'cli.tried-grant',
    {
      exit: 2,
      hint: 'For example: --grant tool:todo.close_task, or --grant flow:mail:notion.create',
    },
    `Cannot try the grant ${JSON.stringify(text)}`,
  )
}

function describe(report: ReplayReport, days: number): readonly string[] {
  const { decisions, unjudged, damage, differences } = report
  const rows = [
    ['', 'allowed', 'asked', 'stopped'],
    ['then', ...cells(report.before)],
    ['today', ...cells(report.today)],
    ['changed', ...cells(report.changed)],
  ]
  return [
    `${decisions} calls of the last ${days} days, decided again:`,
    ...columns(rows),
    ...(unjudged > 0
      ? [`${unjudged} calls cannot be decided again: their grounds are not in the log.`]
      : []),
    ...(damage === null
      ? []
      : [`The audit log is damaged, so some calls may be missing: ${printableLine(damage)}`]),
    ...(differences.length > 0 ? ['', 'Otherwise than today:'] : []),
    ...columns(
      differences.map(({ tool, from, to, rule, times }) => [
        printableLine(tool),
        `${times} times ${WORDS[to]} instead of ${WORDS[from]}`,
        rule,
      ]),
    ),
  ]
}

const WORDS = { allow: 'allowed', ask: 'asked', deny: 'stopped' } as const

function cells({ allow, ask, deny }: Decided): readonly string[] {
  return [allow, ask, deny].map(String)
}
