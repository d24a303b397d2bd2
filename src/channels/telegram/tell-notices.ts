/**
 * Notices in the owner's chat: those of a few seconds in one message, each told once. A receipt is kept when Telegram
 * has taken the message, so a restart repeats none; without one the notice stays open for the terminal and the page.
 */
import type { Api } from '../../api/contract.ts'
import type { Notice } from '../../api/notices.ts'
import type { Log, Notes } from '../../kernel/ports.ts'
import { inChatWords } from '../../text/in-chat-words.ts'
import type { BotPlace } from './bot-api.ts'
import type { Pairings } from './pairings.ts'
import { createRecipient } from './recipient.ts'
import type { Sender } from './sender.ts'

export interface NoticesDeps {
  readonly api: Api<'notices.list'>
  readonly sender: Sender
  readonly pairings: Pick<Pairings, 'owner'>
  readonly notes: Notes
  readonly log: Log
  readonly sleep: BotPlace['sleep']
  /** How long further notices are waited for, so that they come as one message. */
  readonly gatherMs?: number
}

const KIND = 'telegram.notice'
const GATHER_MS = 5000
const PAUSE_MS = 60_000
/** Deliveries come to this chat by themselves, if the owner named it. */
const DELIVERED: ReadonlySet<string> = new Set(['watch', 'watch-failed', 'result', 'asks'])
/** Telegram takes 64 bytes as the data of a button. */
const LONGEST_NAME = 60

/** Tells new notices until `signal` aborts. */
export async function tellNotices(deps: NoticesDeps, signal: AbortSignal): Promise<void> {
  const { api, sleep, log, gatherMs = GATHER_MS } = deps
  const told = new Map((await deps.notes.list(KIND)).map(({ id, content }) => [id, content]))
  for (let after: number | undefined; !signal.aborted; ) {
    const { version } = await api.call('notices.list', after === undefined ? {} : { after }, signal)
    if (version === after) continue
    await sleep(gatherMs, signal)
    const { version: latest, notices } = await api.call('notices.list', {}, signal)
    try {
      await tell(deps, told, notices, signal)
      after = deps.pairings.owner() ? latest : undefined // looked at again until there is somebody to tell
    } catch (error) {
      if (signal.aborted) return
      log.warn('Notices cannot be told in Telegram', { error })
      await sleep(PAUSE_MS, signal)
    }
  }
}

async function tell(
  { sender, pairings, notes }: NoticesDeps,
  told: Map<string, string>,
  notices: readonly Notice[],
  signal: AbortSignal,
): Promise<void> {
  const gone = [...told.keys()].filter((id) => !notices.some((notice) => notice.id === id))
  for (const id of gone) {
    await notes.remove(KIND, id)
    told.delete(id)
  }
  const owner = pairings.owner()
  const news = notices.filter(({ id, kind, what }) => !DELIVERED.has(kind) && told.get(id) !== what)
  if (!owner || news.length === 0) return
  const to = createRecipient(owner.id, owner, false)
  const said = {
    text: news.map(lineOf).join('\n\n'),
    level: 'sensitive',
    buttons: buttonsFor(news),
  } as const
  await sender.say(to, said, signal)
  for (const { id, what } of news) {
    await notes.put(KIND, id, what)
    told.set(id, what)
  }
}

function lineOf({ what, hint }: Notice): string {
  return `! ${what}. ${inChatWords(hint)}.`
}

const SIGNS_IN: ReadonlySet<string> = new Set(['sign-in', 'scopes'])

/** One tap begins the sign-in that a notice asks for. */
function buttonsFor(notices: readonly Notice[]) {
  return notices
    .filter(({ kind, server }) => SIGNS_IN.has(kind) && server.length <= LONGEST_NAME)
    .map(({ server }) => [{ text: `Sign in to ${server}`, callback_data: `in:${server}` }])
}

/** The words that a pressed sign-in button stands for. */
export function wordsOfButton(data: string): string | undefined {
  const [, server] = /^in:([a-z0-9][a-z0-9._-]*)$/.exec(data) ?? []
  return server === undefined ? undefined : `connect ${server}`
}
