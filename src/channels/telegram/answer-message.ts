/**
 * One message of a paired person, from its arrival to the answer. Setup sees it first, as in every channel, so a
 * credential is taken and deleted before anything else could read it. Forwarded words are nobody's command.
 */
import type { Api } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Log } from '../../kernel/ports.ts'
import { parsePrincipalId, type Principal } from '../../kernel/principal.ts'
import { type Message, type MessageHandlers, type Reply, receive } from '../../kernel/receive.ts'
import type { Outlet } from '../../ports/setup-port.ts'
import { inChatWords } from '../../text/in-chat-words.ts'
import { startAll } from '../api-chat.ts'
import type { BotApi } from './bot-api.ts'
import { takeFile, type TakenFile } from './incoming-file.ts'
import { followTurn, type TurnDeps } from './follow-turn.ts'
import { type Person, principalFor } from './pairings.ts'
import type { IncomingMessage } from './read-update.ts'
import { createRecipient, type Recipient } from './recipient.ts'
import type { Said, Sender } from './sender.ts'

export type AnswerApi = Api<'mcp.start' | 'connect.view' | 'chat.follow' | 'chat.cancel'>

export interface AnswerDeps extends TurnDeps {
  readonly api: AnswerApi
  readonly handlers: MessageHandlers
  readonly sender: Sender
  readonly bot: Pick<BotApi, 'showTyping' | 'download'>
  /** Deletes a message; false if that failed. */
  readonly remove: Outlet['remove']
  readonly log: Log
}

/** Telegram shows the sign for five seconds. */
const TYPING_MS = 4000

export async function answerMessage(
  deps: AnswerDeps,
  incoming: IncomingMessage,
  person: Person,
  signal: AbortSignal,
): Promise<void> {
  const to = createRecipient(incoming.chat, person, incoming.isGroup)
  using _typing = showTyping(deps, to, signal)
  const message = messageFrom(incoming, person, to)
  for await (const said of answersTo({ ...deps, to }, message, incoming, signal))
    await deps.sender.say(to, said, signal)
}

async function* answersTo(
  deps: AnswerDeps & { readonly to: Recipient },
  message: Message,
  incoming: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<Said> {
  try {
    yield* takeMessage(deps, message, incoming, signal)
  } catch (error) {
    if (signal.aborted) throw error
    deps.log.warn('A message of Telegram could not be answered', { error })
    const isOurs = error instanceof CordonError
    yield isOurs
      ? { text: inChatWords(`${error.message}. ${error.hint}.`), level: 'internal' }
      : { text: 'Something broke; the log of Cordon says more.', level: 'public' }
  }
}

async function* takeMessage(
  deps: AnswerDeps & { readonly to: Recipient },
  message: Message,
  incoming: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<Said> {
  let isSetup = true
  let file: TakenFile | undefined
  const { setup, chat, turns } = deps.handlers
  // After setup: a credential in the caption is taken and deleted whether the file can be fetched or not.
  const loadFile = async (): Promise<void> => {
    isSetup = false
    file = await fileFor(deps, message, incoming, signal)
  }
  const isOwnWords = (): boolean =>
    !incoming.isForwarded && (!incoming.hasFile || file?.kind === 'text')
  const handlers: MessageHandlers = {
    setup,
    async chat(heard) {
      await loadFile()
      return isOwnWords() && !incoming.hasFile ? await chat(heard, signal) : undefined
    },
    async turns(heard) {
      if (!isOwnWords() || file?.kind === 'refused') return undefined
      const quoted = file?.text ?? heard.quoted
      return await turns?.({ ...heard, ...(quoted !== undefined && { quoted }) }, signal)
    },
  }
  if (message.text === '') await loadFile()
  const reply: Reply =
    message.text === '' ? { kind: 'unanswered' } : await receive(handlers, message, signal)
  if (reply.kind === 'turn') {
    // An answer to a question of a turn that is followed already: what happens next is told there.
    const isFollowed = deps.running.get(deps.to.chat) === reply.turn
    if (!isFollowed) await followTurn(deps, deps.to, reply.turn, signal)
  } else if (reply.kind !== 'unanswered')
    yield* showReply(deps, message, { reply, isSetup }, signal)
  else yield { text: unanswered(message, incoming, file), level: 'public' }
}

/** Only of the owner, in their own chat: nobody else can have anything done with a file. */
async function fileFor(
  { bot }: AnswerDeps,
  { isAsked }: Message,
  { file }: IncomingMessage,
  signal: AbortSignal,
): Promise<TakenFile | undefined> {
  return file && isAsked === true ? await takeFile(bot, file, signal) : undefined
}

function unanswered(
  { principal }: Message,
  { hasFile, isForwarded }: IncomingMessage,
  file: TakenFile | undefined,
): string {
  if (file?.kind === 'refused') return file.reason
  if (file && hasFile) return `I can read ${file.name}. ${REPLY_TO_IT}`
  if (hasFile) return NO_FILES
  if (isForwarded) return NOT_YOURS
  return principal.kind === 'owner' ? UNANSWERED : NOTHING_FOR_YOU
}

interface Given {
  readonly reply: Exclude<Reply, { readonly kind: 'unanswered' | 'turn' }>
  readonly isSetup: boolean
}

async function* showReply(
  deps: AnswerDeps,
  message: Message,
  { reply, isSetup }: Given,
  signal: AbortSignal,
): AsyncGenerator<Said> {
  const { api } = deps
  // Setup tells a stranger nothing about this home. A command shows results of tools, whose labels are not known here.
  const level = isSetup ? 'public' : 'regulated'
  if (reply.text !== '') yield { text: reply.text, level, links: await ownLinks(api) }
  if (reply.kind !== 'text') return
  if (reply.wasSecret && !isSetup) yield* erase(deps, message) // setup erases by itself
  for await (const text of startAll(api, reply.starting ?? [], signal)) yield { text, level }
}

/** A command found a credential in the message that it was given. */
async function* erase(
  { remove }: Pick<AnswerDeps, 'remove'>,
  { ref }: Message,
): AsyncGenerator<Said> {
  if (ref && !(await remove(ref))) yield { text: NOT_DELETED, level: 'public' }
}

/** The links of an open sign-in: Cordon itself gives them, so they may be tapped. */
export async function ownLinks(api: Api<'connect.view'>): Promise<readonly string[]> {
  const { connection } = await api.call('connect.view', {})
  const { authorize, device } = connection?.question ?? {}
  return [authorize, device?.url].filter((url) => url !== undefined)
}

const UNANSWERED =
  'I cannot answer that yet. Say `help` to see what I understand, for example: connect notion'
const NOTHING_FOR_YOU =
  'I know you, but I cannot do that for you. Ask the person whose assistant I am.'
const NO_FILES = 'I cannot take that here, so I did nothing with it. Send the words as a message.'
const REPLY_TO_IT =
  'Reply to it with what I should do, for example: remember this, or: write it to ~/notes/new.txt'
const NOT_DELETED =
  'I could not delete your message. Please delete it yourself: it holds a credential.'
const NOT_YOURS =
  'Forwarded words are somebody else’s, so I do not act on them. Reply to them with what you want, and they go along as data.'

/** Words that somebody else wrote: setup takes a token out of them, and no command. */
const ELSEWHERE: Principal = {
  kind: 'paired',
  id: parsePrincipalId('principal:telegram:forwarded'),
}

function messageFrom(incoming: IncomingMessage, person: Person, { sink }: Recipient): Message {
  const { chat, message, isGroup, isForwarded, quoted } = incoming
  return {
    principal: isForwarded ? ELSEWHERE : principalFor(person),
    text: withoutSlash(incoming.text),
    ref: { channel: 'telegram', chat, message },
    isGroup,
    isRemote: true,
    isAsked: person.role === 'owner' && !isGroup,
    sink,
    ...(quoted !== undefined && { quoted }),
  }
}

const COMMANDS = /^\/(help|list|status|connect|remove|notices|packages|updates)(?=\s|$)/i

/** `/help` is `help`: Telegram's own way to write a command. A path, `/etc/hosts`, stays as it is. */
function withoutSlash(text: string): string {
  return text.replace(/^\/start(?=\s|$)/i, 'help').replace(COMMANDS, '$1')
}

function showTyping({ bot }: AnswerDeps, { chat }: Recipient, signal: AbortSignal): Disposable {
  const show = (): void => void bot.showTyping(chat, signal).catch(() => undefined)
  const timer = setInterval(show, TYPING_MS)
  const first = setTimeout(show, 500)
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      clearTimeout(first)
    },
  }
}
