/** `notices …`: what the owner should know although they did not ask, until they have seen it or its cause is gone. */
import type { Command } from 'commander'
import type { Notice } from '../../api/notices.ts'
import { CordonError } from '../../kernel/error.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { type Output, printableLine } from '../output.ts'
import { noticeLines } from './notice-view.ts'

interface AllOption {
  readonly all?: boolean
}

export function addNoticeCommands(program: Command, context: Context): void {
  const notices = program
    .command('notices')
    .description('what you should know: sign-ins that are over, blocked hosts, changed tools')
    .option('--all', 'those that you have seen, too')
    .addHelpText('after', '\nExample:\n  $ cordon notices')
    .action(async ({ all = false }: AllOption, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('notices.list', { all }))
      const output = outputOf(context, command)
      output.answer({ notices: answer.notices }, () => describe(answer.notices, all, output))
    })
  addSeen(notices, context)
  addAllow(notices, context)
}

function addSeen(notices: Command, context: Context): void {
  notices
    .command('seen')
    .argument('[ids...]', 'as `cordon notices` shows them')
    .option('--all', 'all of them')
    .description('mark notices as seen')
    .addHelpText('after', '\nExample:\n  $ cordon notices seen notion:sign-in')
    .action(async (ids: string[], _options: AllOption, command: Command) => {
      // The parent has an option of the same name, which takes the word where both fit.
      const isAll = command.optsWithGlobals<AllOption>().all === true
      if (isAll === ids.length > 0) throw whichOnes()
      const input = isAll ? {} : { ids }
      const answer = await withApi(context, command, (api) => api.call('notices.seen', input))
      outputOf(context, command).answer(answer, () => [`Marked as seen: ${answer.seen}.`])
    })
}

function addAllow(notices: Command, context: Context): void {
  notices
    .command('allow')
    .argument('<id>', 'a notice about blocked hosts, such as weather:blocked')
    .argument('[hosts...]', 'only these of its hosts')
    .option('--yes', 'do not ask')
    .description('let a server reach the hosts that it was kept from')
    .addHelpText('after', '\nExample:\n  $ cordon notices allow weather:blocked')
    .action(async (id: string, hosts: string[], { yes }: { yes?: boolean }, command: Command) => {
      const answer = await withApi(context, command, async (api) => {
        const { notices: all } = await api.call('notices.list', { all: true })
        const notice = all.find((one) => one.id === id)
        const names = hosts.length > 0 ? hosts : (notice?.items ?? [])
        if (notice) await confirm(context, question(notice, names), yes === true)
        return await api.call('notices.allow', { id, ...(names.length > 0 && { hosts: names }) })
      })
      outputOf(context, command).answer(answer, () => [
        `${answer.server} may reach ${printableLine(answer.allowed.join(', '))} from now on.`,
      ])
    })
}

function question({ server }: Notice, hosts: readonly string[]): string {
  const names = printableLine(hosts.join(', '))
  return `${server} can then send anything it knows to ${names}. Allow it?`
}

function describe(notices: readonly Notice[], all: boolean, output: Output): readonly string[] {
  if (notices.length === 0) return [all ? 'There are no notices.' : 'There is nothing new.']
  return notices.flatMap((notice) => {
    const seen = notice.isSeen ? ', seen' : ''
    return [
      ...noticeLines(notice, output),
      output.paint('dim', `  ${notice.id}, since ${notice.since}${seen}`),
    ]
  })
}

function whichOnes(): CordonError {
  return new CordonError(
    'cli.which-notices',
    { exit: 2, hint: 'Name them, as in `cordon notices seen notion:sign-in`, or say `--all`' },
    'Cannot mark notices as seen: it is not clear which',
  )
}
