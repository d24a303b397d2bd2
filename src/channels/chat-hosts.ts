/**
 * A call in a chat that fails since its server was kept from a host: the person is asked whether it may reach that host,
 * and answers with `y` or `n`. After a yes a read is made again; about any other call they decide themselves, since it
 * may have done a part of its work.
 */
import type { Api, Output } from '../api/contract.ts'
import { isRead } from '../kernel/effect.ts'
import { hostsQuestion, hostsTried } from '../text/hosts-question.ts'
import type { DirectCall } from './direct-call.ts'

export type HostsApi = Api<'notices.allow' | 'tools.show'>

type Result = Output<'mcp.call'>

export interface ChatHosts {
  /** The call whose result may be asked about next. */
  begin(call: DirectCall): void
  /** The failure with the question about its hosts, from then on open; any other result as it is. */
  ask(result: Result | string): Result | string
  /** The call to make again, or text to show; undefined if nothing is asked, or the message is no answer. */
  answer(text: string): Promise<DirectCall | string | undefined>
}

interface Open {
  readonly call: DirectCall
  readonly hosts: readonly string[]
}

export function createChatHosts(api: HostsApi): ChatHosts {
  let open: Open | undefined
  let last: DirectCall | undefined
  return {
    begin(call) {
      last = call
      open = undefined
    },
    ask(result) {
      const isFailure = typeof result === 'object' && result.kind === 'failed'
      const hosts = isFailure ? (result.blockedHosts ?? []) : []
      if (!isFailure || !last || hosts.length === 0) return result
      open = { call: last, hosts }
      const { server } = last
      return [
        `failed: ${result.reason}`,
        hostsTried(server, hosts),
        `${hostsQuestion(server, hosts)}. y = yes; n = no`,
      ].join('\n')
    },
    async answer(text) {
      const [word] = /^(?:y|yes|n|no)$/.exec(text.trim().toLowerCase()) ?? []
      if (!open || word === undefined) return undefined
      const { call, hosts } = open
      open = undefined
      const { server, tool } = call
      if (word.startsWith('n')) return `${server} still may not reach ${hosts.join(', ')}.`
      // Judged as it was called: with the new host the same tool may count as one that changes things.
      const { card } = await api.call('tools.show', { server, tool })
      await api.call('notices.allow', { id: `${server}:blocked`, hosts })
      if (isRead(card.effect)) return call
      return `${server} may reach ${hosts.join(', ')} from now on. Say it again: it was not repeated, since it may have done a part of its work.`
    },
  }
}
