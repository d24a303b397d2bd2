/** Notices in a chat: told once per chat when they come, listed, marked as seen, and the one that can be acted on here. */
import type { Api } from '../api/contract.ts'
import { pausePoll } from '../api/long-poll.ts'
import type { Notice } from '../api/notices.ts'
import { printable } from '../text/untrusted-text.ts'

export type NoticesApi = Api<'notices.list' | 'notices.seen' | 'notices.allow'>

export interface NoticeNews {
  /** Notices that this chat has not told yet, as they come, until `signal` aborts. Ends without an error. */
  follow(signal: AbortSignal): AsyncGenerator<string>
}

export function createNoticeNews(api: NoticesApi): NoticeNews {
  const told = new Set<string>()
  return {
    async *follow(signal) {
      try {
        for (let after: number | undefined; !signal.aborted; ) {
          const input = after === undefined ? {} : { after }
          const { version, notices } = await api.call('notices.list', input, signal)
          const news = notices.map(tell).filter((text) => !told.has(text))
          for (const text of news) {
            yield text
            told.add(text) // after the yield: a text that was not shown is told again
          }
          if (version === after) await pausePoll(signal)
          after = version
        }
      } catch {
        // the error shows up again in the answer to the next line
      }
    },
  }
}

/** `notices`, `notices seen [ID]`, `notices allow ID`; undefined for other words. */
export async function answerNotices(api: NoticesApi, rest: string): Promise<string | undefined> {
  const [word = '', id, ...more] = rest.split(' ').filter((part) => part !== '')
  if (more.length > 0) return undefined
  if (word === '') return await listNotices(api)
  if (word === 'seen') return await markSeen(api, id)
  return word === 'allow' && id !== undefined ? await askToAllow(api, id) : undefined
}

/** The hosts that were shown in the question are allowed, and no host that was blocked since. */
export async function allowHosts(api: NoticesApi, rest: string): Promise<string> {
  const [id = '', ...hosts] = rest.split(' ')
  const input = { id, ...(hosts.length > 0 && { hosts }) }
  const { server, allowed } = await api.call('notices.allow', input)
  return `${server} may reach ${allowed.join(', ')} from now on.`
}

async function listNotices(api: NoticesApi): Promise<string> {
  const { notices } = await api.call('notices.list', { all: true })
  if (notices.length === 0) return 'There are no notices.'
  const lines = notices.map(
    (notice) => `${tell(notice)}\n  ${notice.id}${notice.isSeen ? ', seen' : ''}`,
  )
  return [...lines, 'Mark them as seen with `notices seen`.'].join('\n')
}

async function markSeen(api: NoticesApi, id: string | undefined): Promise<string> {
  const { seen } = await api.call('notices.seen', id === undefined ? {} : { ids: [id] })
  return `Marked as seen: ${seen}.`
}

async function askToAllow(api: NoticesApi, id: string): Promise<string> {
  const { notices } = await api.call('notices.list', { all: true })
  const notice = notices.find((one) => one.id === id)
  if (notice?.kind !== 'blocked') return `No notice about blocked hosts is called ${id}.`
  const hosts = notice.items.join(' ')
  return `${notice.server} can then send anything it knows to ${notice.items.join(', ')}. Type: yes, allow ${id} ${hosts}`
}

function tell({ what, hint, count, text }: Notice): string {
  const times = count > 1 ? ` (${count} times)` : ''
  // In the chat these commands are typed without the name of the program.
  const here = hint.replaceAll(/`cordon (connect|notices) /g, '`$1 ')
  const result = text === undefined ? '' : `\n${text}`
  return printable(`! ${what}${times}. ${here}.${result}`)
}
