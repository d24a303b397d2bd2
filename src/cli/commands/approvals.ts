/** `approvals …`: the questions that wait for the owner, and the owner's answers. */
import { type Command, Option } from 'commander'
import type { Api, Input, Output } from '../../api/contract.ts'
import { GRANT_OFFERS } from '../../kernel/grant.ts'
import type { ShownApproval } from '../../kernel/approval-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { GrantOffer } from '../../kernel/tool-call.ts'
import { type Context, outputOf, type Terminal, withApi } from '../context.ts'
import {
  describeApprovals,
  describeChannel,
  describeGrants,
  describeQuarantine,
  digestsOf,
  paintLines,
  serversIn,
} from './approval-view.ts'

export function addApprovalCommands(program: Command, context: Context): void {
  const approvals = program
    .command('approvals')
    .description('what waits for your approval, and your answers')
  addShowing(approvals, context)
  addAnswering(approvals, context)
}

function addShowing(approvals: Command, context: Context): void {
  approvals
    .command('list')
    .description('list the open questions')
    .option('--all', 'also those that are over, of the last days')
    .addHelpText('after', '\nExample:\n  $ cordon approvals list')
    .action(async (options: { readonly all?: boolean }, command: Command) => {
      const answer = await withApi(context, command, (api) =>
        api.call('approvals.list', { all: options.all === true }),
      )
      outputOf(context, command).answer(answer, () => describeApprovals(answer.approvals))
    })
  approvals
    .command('show')
    .argument('<id>')
    .description('show what would run, where each value came from, and what leaves')
    .option('--full', 'show long texts to their end')
    .addHelpText('after', '\nExample:\n  $ cordon approvals show 1f0c55a2b3 --full')
    .action(async (id: string, options: { readonly full?: boolean }, command: Command) => {
      const shown = await withApi(context, command, (api) =>
        api.call('approvals.show', { id, full: options.full === true }),
      )
      const { stdout } = context.surface.terminal
      outputOf(context, command).answer(shown, () => [
        ...paintLines([...shown.lines, ...shown.more], stdout),
        ...shown.answeredHow.map((how) => `This was ${describeChannel(how)}.`),
        ...nextSteps(shown),
      ])
    })
}

interface ApproveOptions {
  readonly withoutAPerson?: boolean
  readonly only?: readonly string[]
  readonly server?: string
  readonly endorse?: boolean
  readonly grant?: Exclude<GrantOffer, 'endorse'>
}

function addAnswering(approvals: Command, context: Context): void {
  const kinds = GRANT_OFFERS.filter((offer) => offer !== 'endorse')
  approvals
    .command('approve')
    .argument('<id>')
    .description('let it run, once')
    .option('--only <digits...>', 'only these calls of it, by the digits in brackets')
    .addOption(new Option('--server <server>', 'only the calls of this server').conflicts('only'))
    .addOption(
      new Option(
        '--endorse',
        'and allow these values in these arguments for the rest of the task',
      ).conflicts('grant'),
    )
    .addOption(new Option('--grant <kind>', 'and allow more than this once').choices(kinds))
    .option(
      '--without-a-person',
      'allow it although nobody is at a terminal; the record says that a program did',
    )
    .addHelpText('after', '\nExample:\n  $ cordon approvals approve 1f0c55a2b3 --only 9e107d9d')
    .action(async (id: string, options: ApproveOptions, command: Command) => {
      const channel = channelOf(context.surface.terminal)
      if (channel === 'program' && !options.withoutAPerson) throw needsPerson()
      await answer(context, command, async (api) => {
        const { only, endorse, server } = options
        const grant: GrantOffer | undefined = endorse ? 'endorse' : options.grant
        const show = () => api.call('approvals.show', { id, full: false })
        const allow = only ?? allOfOneServer(await show(), server)
        const more = { ...(server !== undefined && { server }), ...(grant && { grant }) }
        return { id, allow, channel, ...more } as const
      })
    })
  addDenying(approvals, context)
}

interface DenyOptions {
  readonly server?: string
  readonly quarantine?: boolean
}

function addDenying(approvals: Command, context: Context): void {
  approvals
    .command('deny')
    .argument('<id>')
    .description('let nothing of it run')
    .option('--server <server>', 'nothing of this server; what is asked of others waits on')
    .option('--quarantine', 'and keep its server from running anything until you accept it again')
    .addHelpText('after', '\nExample:\n  $ cordon approvals deny 1f0c55a2b3 --quarantine')
    .action(async (id: string, { server, quarantine }: DenyOptions, command: Command) => {
      const more = { ...(server !== undefined && { server }), ...(quarantine && { quarantine }) }
      const channel = channelOf(context.surface.terminal)
      await answer(context, command, async () => ({ id, allow: [], channel, ...more }))
    })
}

/** Both streams: a program that collects the output may have left its own terminal as standard input. */
function channelOf({ stdin, stderr }: Terminal): 'terminal' | 'program' {
  return stdin.isTTY && stderr.isTTY ? 'terminal' : 'program'
}

function needsPerson(): CordonError {
  return new CordonError(
    'cli.needs-person',
    {
      exit: 3,
      hint: 'Run it in a terminal, or add `--without-a-person` if a program may answer for you; the record will say so',
    },
    'Cannot approve without a terminal: a person answers what is asked of the owner',
  )
}

async function answer(
  context: Context,
  command: Command,
  decide: (api: Api) => Promise<Input<'approvals.answer'>>,
): Promise<void> {
  const done = await withApi(context, command, async (api) =>
    api.call('approvals.answer', await decide(api)),
  )
  outputOf(context, command).answer(done, () => describeAnswer(done))
}

/** An approval is for one server, so that it never carries the calls of another along. */
function allOfOneServer(shown: ShownApproval, server: string | undefined): readonly string[] {
  const servers = serversIn(shown)
  if (server === undefined && servers.length > 1) {
    const first = servers[0] ?? 'SERVER'
    throw new CordonError(
      'cli.approve-each',
      {
        exit: 2,
        hint: `Say for which: \`cordon approvals approve ${shown.id} --server ${first}\``,
      },
      `Cannot allow everything at once: it is about ${servers.join(' and ')}`,
    )
  }
  return digestsOf(shown, server)
}

function describeAnswer(answer: Output<'approvals.answer'>): readonly string[] {
  const { approval, grants, quarantined } = answer
  const count = (state?: boolean): number =>
    approval.items.filter(({ isAllowed }) => isAllowed === state).length
  const waiting = approval.state === 'pending' ? `, ${count()} still waiting` : ''
  return [
    `${approval.id}: ${count(true)} allowed, ${count(false)} not${waiting}.`,
    ...(grants.length > 0 ? ['Allowed beyond this once:', ...describeGrants(grants)] : []),
    ...quarantined.map(describeQuarantine),
  ]
}

function nextSteps({ id, state, needsFullView }: ShownApproval): readonly string[] {
  if (state !== 'pending') return []
  if (needsFullView) return [`Read all of it first: \`cordon approvals show ${id} --full\`.`]
  return [`Answer with \`cordon approvals approve ${id}\` or \`cordon approvals deny ${id}\`.`]
}
