/**
 * Asks the owner in this terminal: shows every value of the question, whatever its length, and takes every answer but
 * yes or always as no. `?` shows the rest. A question about several servers is asked server by server.
 */
import type { Api, Input } from '../../api/contract.ts'
import type { ShownApproval } from '../../kernel/approval-port.ts'
import { PLAN } from '../../kernel/built-in-tools.ts'
import type { GrantOffer } from '../../kernel/tool-call.ts'
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
  write(terminal, shown.lines)
  const servers = serversIn(shown)
  for (const server of servers) {
    const message = messageFor(servers, server)
    const said = await askServer({ terminal, shown, server, message }, signal)
    if (signal.aborted || !said) return
    const answer = { ...said, id, server, channel: 'terminal' } as const
    // Without the signal: the call may end before this answer is sent.
    const { quarantined } = await api.call('approvals.answer', answer)
    for (const one of quarantined) terminal.stderr.write(`${describeQuarantine(one)}\n`)
  }
}

function messageFor(servers: readonly string[], server: string): string {
  if (server === PLAN) return 'Allow the whole plan, once?'
  return servers.length === 1 ? 'Allow it once?' : `Allow once what goes to ${server}?`
}

interface Asking {
  readonly terminal: Terminal
  readonly shown: ShownApproval
  readonly server: string
  readonly message: string
}

type Said = Pick<Input<'approvals.answer'>, 'allow' | 'quarantine' | 'grant'>

async function askServer(asking: Asking, signal: AbortSignal): Promise<Said | undefined> {
  const { terminal, shown, server, message } = asking
  const offer = standingOffer(shown, server)
  for (;;) {
    const key = await askKey(terminal, message, choicesFor(shown, server, offer), signal)
    if (signal.aborted) return undefined
    if (key === '?') {
      write(terminal, shown.more)
      continue
    }
    const allow = key === 'y' || key === 'a' ? digestsOf(shown, server) : []
    if (key === 'a' && offer) return { allow, grant: offer }
    return key === 'q' ? { allow, quarantine: true } : { allow }
  }
}

type Key = 'n' | 'y' | 'a' | 'q' | '?'
type Choice = readonly [Key, string]

function choicesFor(
  shown: ShownApproval,
  server: string,
  offer: GrantOffer | undefined,
): readonly [Choice, ...(readonly Choice[])] {
  if (server === PLAN) {
    return [
      ['n', 'no: ask me about each call when it comes'],
      ['y', 'yes, all of it inside these bounds'],
      ['?', MORE],
    ]
  }
  return [
    ['n', 'no'],
    ['y', 'yes, once'],
    ...(offer ? [['a', `yes, and ${STANDING[offer]}${idsIn(shown, server)}`] as const] : []),
    ['q', `no, and quarantine ${server}: nothing of it runs until you accept it again`],
    ['?', MORE],
  ]
}

const MORE = 'show more: what leaves, when it was asked, what can be allowed'

const STANDING: Readonly<Record<GrantOffer, string>> = {
  tool: 'always for this tool, for 90 days, as long as it stays as it is',
  flow: 'always from there to this tool, for 90 days',
  spend: 'always up to this amount, for 90 days',
  endorse: 'these values for the rest of the task',
  contact: 'it is you or somebody you know: keep the address as a contact',
}

/** Said in the same line: with this permission others may choose among the ids of the server. */
function idsIn({ items }: ShownApproval, server: string): string {
  const isWider = items.some(({ takesIds, tool }) => takesIds === true && tool.server === server)
  return isWider ? `, whoever chooses among the ids of ${server}` : ''
}

/** The standing permission that every open call of this server offers. */
function standingOffer({ items }: ShownApproval, server: string): GrantOffer | undefined {
  const open = items.filter((item) => item.isAllowed === undefined && item.tool.server === server)
  return (['tool', 'flow', 'spend', 'contact'] as const).find((offer) =>
    open.every(({ offers }) => offers.includes(offer)),
  )
}

function write({ stderr }: Terminal, lines: ShownApproval['lines']): void {
  stderr.write(`${paintLines(lines, stderr).join('\n')}\n`)
}
