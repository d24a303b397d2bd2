/**
 * A call that fails since its server was kept from a host: asks the person at the terminal whether it may reach that
 * host. After a yes a read is made again; any other call may have done something before it failed, at another host or
 * in the server's own files, so the person is told to run it again and decides that themselves.
 */
import type { Api, Output } from '../../api/contract.ts'
import { isRead } from '../../kernel/effect.ts'
import { hostsQuestion, hostsTried } from '../../text/hosts-question.ts'
import { isConfirmed } from '../ask.ts'
import type { Context } from '../context.ts'
import { type Output as Printer, printableLine } from '../output.ts'
import { canAnswer } from './attend-questions.ts'

type Result = Output<'mcp.call'>

interface Called {
  readonly server: string
  readonly tool: string
}

export async function withHosts(
  context: Context,
  { api, output }: { readonly api: Api; readonly output: Printer },
  called: Called,
  call: () => Promise<Result>,
): Promise<Result> {
  const first = await call()
  const { terminal } = context.surface
  if (first.kind !== 'failed' || output.json || !canAnswer(terminal)) return first
  const { blockedHosts: hosts = [], ...failed } = first
  if (hosts.length === 0) return first
  const { server } = called
  output.note(printableLine(`failed: ${first.reason}`))
  output.note(printableLine(hostsTried(server, hosts)))
  const question = printableLine(`${hostsQuestion(server, hosts)}.`)
  if (!(await isConfirmed(terminal, question, context.signal))) return first
  // Judged as it was called: a server that could reach nothing has changed nothing, and may change things from now on.
  const wasRead = await isARead(api, called)
  await api.call('notices.allow', { id: `${server}:blocked`, hosts })
  if (wasRead) return await call()
  output.note(`${server} may reach ${printableLine(hosts.join(', '))} from now on.`)
  const hint = 'Run it again: it was not repeated, since it may have done a part of its work'
  return { ...failed, hint }
}

/** By the effect that Cordon gives the tool; a claim of its server cannot lower it. */
async function isARead(api: Api, { server, tool }: Called): Promise<boolean> {
  const { card } = await api.call('tools.show', { server, tool })
  return isRead(card.effect)
}
