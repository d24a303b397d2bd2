/**
 * Asks the owner in this terminal: shows the whole question, whatever its length, and takes every answer but yes as no.
 * A question about several servers is asked server by server.
 */
import type { Api, Input } from '../../api/contract.ts'
import type { ShownApproval } from '../../kernel/approval-port.ts'
import { askKey } from '../ask.ts'
import type { Terminal } from '../context.ts'
import { describeQuarantine, digestsOf, paintLines, serversIn } from './approval-view.ts'

export async function answerHere(
  terminal: Terminal,
  api: Api,
  { id }: Pick<ShownApproval, 'id'>,
  signal: AbortSignal,
): Promise<void> {
  const shown = await api.call('approvals.show', { id, full: true }, signal)
  terminal.stderr.write(`${paintLines(shown.lines, terminal.stderr).join('\n')}\n`)
  const servers = serversIn(shown)
  for (const server of servers) {
    const message = servers.length === 1 ? 'Allow it once?' : `Allow once what goes to ${server}?`
    const key = await askKey(terminal, message, choicesFor(server), signal)
    if (signal.aborted) return
    const answer = { ...ANSWERS[key](shown, server), id, server, channel: 'terminal' } as const
    // Without the signal: the call may end before this answer is sent.
    const { quarantined } = await api.call('approvals.answer', answer)
    for (const one of quarantined) terminal.stderr.write(`${describeQuarantine(one)}\n`)
  }
}

function choicesFor(server: string) {
  return [
    ['n', 'no'],
    ['y', 'yes, once'],
    ['q', `no, and quarantine ${server}: nothing of it runs until you accept it again`],
  ] as const
}

type Said = Pick<Input<'approvals.answer'>, 'allow' | 'quarantine'>

const ANSWERS: Readonly<Record<'n' | 'y' | 'q', (shown: ShownApproval, server: string) => Said>> = {
  n: () => ({ allow: [] }),
  y: (shown, server) => ({ allow: digestsOf(shown, server) }),
  q: () => ({ allow: [], quarantine: true }),
}
