/** A terminal chat over the API: sends messages, and shows the messages of a connection as they happen. */
import type { Api } from '../api/contract.ts'
import { isOffered } from '../api/show-proposal.ts'
import type { ShownText } from '../api/show-turn.ts'
import { CordonError } from '../kernel/error.ts'
import { nextView } from '../api/long-poll.ts'
import { LONGEST_MESSAGE } from '../kernel/receive.ts'
import type { ConnectionView } from '../ports/setup-port.ts'
import { inChatWords } from '../text/in-chat-words.ts'
import { showCount } from '../text/show-count.ts'
import type { ChatPlace } from './chat-lines.ts'
import { createNoticeNews } from './notice-news.ts'
import { offerOf } from './mark-tool.ts'
import { ChatTurns } from '../api/chat-turns.ts'
import { mergeTexts } from './merge-texts.ts'
import type { ChatAnswer, TerminalChat } from './terminal-chat.ts'
import { VaultTalk } from './vault-talk.ts'

const TOO_LONG = `That is too long, so nothing was sent: a message has ${showCount(LONGEST_MESSAGE)} characters at most.`

const ENDED: ReadonlySet<ConnectionView['phase']> = new Set(['connected', 'failed', 'cancelled'])
const AT_WORK: ReadonlySet<ConnectionView['phase']> = new Set([
  'installing',
  'connecting',
  'verifying',
])

/** `openPage` opens a page in the browser of this desktop session; false if there is none. */
export function createApiChat(
  api: Api,
  place: ChatPlace,
  openPage: (url: string) => Promise<boolean> = async () => false,
): TerminalChat {
  return new ApiChat(api, place, openPage)
}

class ApiChat implements TerminalChat {
  readonly input: ChatPlace['input']
  readonly output: ChatPlace['output']
  readonly isDumb: boolean
  readonly #api: Api
  readonly #isTyped: boolean
  readonly #here: { readonly workingFolder?: string; readonly chat?: string }
  readonly #vault: VaultTalk
  readonly #notices: ReturnType<typeof createNoticeNews>
  readonly #turns: ChatTurns
  readonly #openPage: (url: string) => Promise<boolean>
  readonly #newPage: (view: ConnectionView) => string | undefined
  #vaultFor: VaultFor = {}
  #told: Told = { connection: '', texts: 0 }
  /** The connection whose tools were shown already. */
  #offered = ''

  constructor(api: Api, place: ChatPlace, openPage: (url: string) => Promise<boolean>) {
    const { input, output, isDumb, folder, chat } = place
    this.#here = {
      ...(folder !== undefined && { workingFolder: folder }),
      ...(chat !== undefined && { chat }),
    }
    this.#openPage = openPage
    this.#newPage = createNewPage(place)
    this.#api = api
    this.input = input
    this.output = output
    this.isDumb = isDumb
    this.#isTyped = input.isTTY === true
    this.#vault = new VaultTalk(api)
    this.#notices = createNoticeNews(api)
    this.#turns = new ChatTurns(api)
  }

  async answer(text: string, signal: AbortSignal): Promise<ChatAnswer> {
    if (this.#isTyped && isUnlockWord(text)) return plain(await this.#vault.begin())
    if (isCancelWord(text)) this.#vault.end()
    const opened = await this.#vault.take(text)
    if (!opened) return await this.#send(text, signal)
    return { texts: sayAll(opened.text, this.#goOn(opened.isOpen, signal)), wasSecret: false }
  }

  news(signal: AbortSignal): AsyncIterable<string> {
    const others = mergeTexts(this.#notices.follow(signal), this.#turns.news(signal))
    return mergeTexts(others, this.#connectionNews(signal))
  }

  async *#connectionNews(signal: AbortSignal): AsyncGenerator<string> {
    const { connection } = await this.#api.call('connect.view', {}, signal)
    // A connection that ended earlier was reported elsewhere, or to a listener who has left.
    if (connection && (this.#told.connection === connection.connection || !hasEnded(connection)))
      yield* this.#follow(connection, (view) => !hasEnded(view), signal)
  }

  async secretWanted(): Promise<string | undefined> {
    const { connection } = await this.#api.call('connect.view', {})
    if (connection?.phase !== 'awaiting-vault' && this.#vaultFor.connection !== undefined) {
      this.#vault.end() // it was opened elsewhere, or the connection has ended
      this.#vaultFor = {}
    }
    return this.#vault.wanted ?? (connection ? credentialWanted(connection) : undefined)
  }

  apologise(error: unknown): string {
    return error instanceof CordonError
      ? inChatWords(`${error.message}. ${error.hint}.`)
      : 'Something broke.'
  }

  async #send(text: string, signal: AbortSignal): Promise<ChatAnswer> {
    if (text.length > LONGEST_MESSAGE) return plain(TOO_LONG)
    const message = { text, ...(this.#isTyped && { isTyped: true }), ...this.#here }
    const sent = await this.#api.call('chat.send', message, signal)
    const { reply, wasSecret, connection, starting, turn, needsVault = false } = sent
    const isStreamed = this.#isTyped && !this.isDumb
    if (turn !== undefined)
      return { texts: this.#turns.follow(turn, signal, isStreamed), wasSecret }
    if (starting) return { texts: sayAll(reply, startAll(this.#api, starting, signal)), wasSecret }
    if (connection)
      this.#told = { connection: connection.connection, texts: connection.said.length } // part of the reply
    if (!this.#isTyped || !needsVault)
      return { texts: sayAll(reply, this.#follow(connection, isAtWork, signal)), wasSecret }
    this.#vaultFor = { text }
    return plain(await this.#vault.begin())
  }

  /** After the vault was opened: the call that failed for want of it, or the connection that waited for it. */
  async *#goOn(isOpen: boolean, signal: AbortSignal): AsyncGenerator<ShownText> {
    if (!isOpen) return
    const { text } = this.#vaultFor
    this.#vaultFor = {}
    if (text !== undefined) yield* (await this.#send(text, signal)).texts
    const { connection } = await this.#api.call('connect.view', {}, signal)
    if (connection && !hasEnded(connection)) yield* this.#follow(connection, isAtWork, signal)
  }

  async *#follow(
    first: ConnectionView | null,
    goesOn: (view: ConnectionView) => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    for (let view = first; view; ) {
      const { connection, said } = view
      const before = this.#told.connection === connection ? this.#told.texts : 0
      for (let texts = before; texts < said.length; ) {
        yield said[texts] ?? ''
        texts += 1
        this.#told = { connection, texts } // after the yield: a text that was not shown is sent again
      }
      yield* this.#afterwards(view, signal)
      if (!goesOn(view) || signal.aborted) return
      view = await nextView(this.#api, view, signal)
    }
  }

  /** The question about the vault, the claims of the tools and the opened browser, added to a connection's messages. */
  async *#afterwards(view: ConnectionView, signal: AbortSignal): AsyncGenerator<string> {
    const { phase, connection, service } = view
    if (phase === 'awaiting-vault' && this.#vaultFor.connection !== connection) {
      this.#vaultFor = { connection }
      yield await this.#vault.begin()
    }
    if (phase === 'connected' && this.#offered !== connection) {
      this.#offered = connection
      yield* offerTools(this.#api, service, signal)
    }
    const page = this.#newPage(view)
    if (page !== undefined && (await this.#openPage(page))) yield 'Opened in your browser.'
  }
}

function credentialWanted({ title, question }: ConnectionView): string | undefined {
  if (!question?.isSecret || question.device || question.authorize) return undefined
  return `${title} ${question.title}`
}

/** Why the vault is asked for: a connection that waits, or a call to be made again. */
interface VaultFor {
  readonly connection?: string
  readonly text?: string
}

function isUnlockWord(text: string): boolean {
  return /^unlock(?: the vault)?$/i.test(text.trim())
}

function isCancelWord(text: string): boolean {
  return text.trim().toLowerCase() === 'cancel'
}

function plain(text: string): ChatAnswer {
  return { texts: sayAll(text), wasSecret: false }
}

/** The sign-in page of a connection, once, and only for a person at a terminal. */
function createNewPage({ input }: ChatPlace): (view: ConnectionView) => string | undefined {
  let known: string | undefined
  return ({ question }) => {
    const page = question?.authorize ?? question?.device?.url
    if (page === undefined || page === known || !input.isTTY) return undefined
    known = page
    return page
  }
}

/** Says how each start went, as soon as it is known; installing a package can take a minute. */
export async function* startAll(
  api: Api<'mcp.start'>,
  servers: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (servers.length > 0) yield `Installing and starting ${servers.join(', ')} …`
  const waiting = new Map(servers.map((server) => [server, startOne(api, server, signal)]))
  while (waiting.size > 0) {
    const { server, text } = await Promise.race(waiting.values())
    waiting.delete(server)
    yield text
  }
}

async function startOne(
  api: Api<'mcp.start'>,
  server: string,
  signal: AbortSignal,
): Promise<{ readonly server: string; readonly text: string }> {
  try {
    const { tools } = await api.call('mcp.start', { server }, signal)
    return { server, text: `✓ ${server}: ${tools} tools available.` }
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    return { server, text: `${server}: ${error.why ?? error.message}. ${error.hint}.` }
  }
}

/** How many messages of a connection are on the screen already. */
interface Told {
  readonly connection: string
  readonly texts: number
}

/** The claims of a new server's tools, if a yes would spare questions; the owner answers with a message. */
async function* offerTools(api: Api, server: string, signal: AbortSignal): AsyncGenerator<string> {
  const proposal = await api.call('tools.proposal', { server }, signal)
  if (isOffered(proposal)) yield offerOf(proposal)
}

/** The reply, then the messages of the connection until it waits for the person again. */
async function* sayAll(reply: string, later?: AsyncIterable<ShownText>): AsyncGenerator<ShownText> {
  if (reply) yield reply
  if (later) yield* later
}

function isAtWork({ phase }: ConnectionView): boolean {
  return AT_WORK.has(phase)
}

function hasEnded({ phase }: ConnectionView): boolean {
  return ENDED.has(phase)
}
