/**
 * A chat in this terminal: one line in, an answer out. Whoever holds the terminal is the owner.
 * While a secret is asked for, nothing of what is typed is shown; a secret that came unasked is wiped off the screen.
 */
import { createInterface, type Interface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { printable, seenLine } from '../text/untrusted-text.ts'

export interface ChatAnswer {
  /** What there is to say, as it becomes known. */
  readonly texts: AsyncIterable<string>
  /** The message was a secret: it must not stay on the screen. */
  readonly wasSecret: boolean
}

export interface TerminalChat {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  /** Answers one message. What it throws is shown by `apologise`, and the chat goes on. */
  answer(text: string, signal: AbortSignal): Promise<ChatAnswer>
  /** What there is to say although nobody typed anything: somebody signed in, a form was sent, time is up. */
  news(signal: AbortSignal): AsyncIterable<string>
  /** What is asked for next, if it is a secret: `Notion token`. */
  secretWanted(): Promise<string | undefined>
  apologise(error: unknown): string
}

const GOODBYES = new Set(['exit', 'quit', '/exit', '/quit'])
const PROMPT = '› '
const UP_AND_ERASE = '\u001b[1A\u001b[2K'
const ERASE = '\r\u001b[2K'
const TAB_WIDTH = 8
const USUAL_COLUMNS = 80
const LONGEST_QUESTION = 200

/** Returns when the person leaves, the input ends, or `signal` aborts. */
export async function runTerminalChat(chat: TerminalChat, signal: AbortSignal): Promise<void> {
  const screen = createScreen(chat.output)
  const isTerminal = 'isTTY' in chat.output && chat.output.isTTY === true
  const lines = createInterface({
    input: chat.input,
    output: screen.stream,
    terminal: isTerminal,
    prompt: PROMPT,
  })
  // Ctrl-C belongs to the prompt while it has the terminal: it leaves the chat.
  lines.on('SIGINT', () => lines.close())
  signal.addEventListener('abort', () => lines.close(), { once: true })
  const typed = lines[Symbol.asyncIterator]() // from here on no line is lost, also one that nobody asked for yet
  const isOver = whenClosed(lines)
  const wasHiddenAt: boolean[] = []
  lines.on('line', () => wasHiddenAt.push(screen.isHidden))
  if (signal.aborted) lines.close()
  const prompt = async (): Promise<AbortController> => {
    const waiting = new AbortController()
    await ask(chat, screen, lines, isOver)
    if (isTerminal) void tellNews(chat, screen, lines, waiting.signal)
    return waiting
  }
  let waiting = await prompt()
  for await (const line of typed) {
    waiting.abort()
    const wasHidden = wasHiddenAt.shift() === true
    screen.show()
    const text = line.trim()
    if (GOODBYES.has(text)) break
    const rows = isTerminal && !wasHidden ? rowsOf(line, chat.output) : 0
    const wasSecret = text !== '' && (await reply(chat, text, rows, signal))
    if (wasHidden || wasSecret) forgetLine(lines, line)
    waiting = await prompt()
  }
  waiting.abort()
  lines.close()
}

/** Above the prompt, which is drawn anew: what is asked for may be another thing by then. Nothing typed in hiding appears. */
async function tellNews(
  chat: TerminalChat,
  screen: Screen,
  lines: Interface,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const text of chat.news(signal)) {
      if (signal.aborted) return
      if (screen.isHidden) lines.write(null, { ctrl: true, name: 'u' })
      else chat.output.write(ERASE)
      screen.show()
      chat.output.write(`${printable(text)}\n`)
      await ask(chat, screen, lines, () => signal.aborted)
    }
  } catch {
    // whoever waits for it types something, and is told then
  }
}

/** What was piped in ends before it is answered; then there is nobody to prompt. */
function whenClosed(lines: Interface): () => boolean {
  let isClosed = false
  lines.once('close', () => {
    isClosed = true
  })
  return () => isClosed
}

/** How many rows of the screen a typed line takes, at most; readline begins a new one when the last is full. */
function rowsOf(line: string, output: NodeJS.WritableStream): number {
  let width = PROMPT.length
  for (const character of line) {
    if (character === '\t') width += TAB_WIDTH
    else width += character <= '~' ? 1 : 2
  }
  const columns = ('columns' in output && Number(output.columns)) || USUAL_COLUMNS
  return Math.floor(width / columns) + 1
}

/** Whether the message turned out to be a secret. It takes `rows` of the screen. */
async function reply(
  chat: TerminalChat,
  text: string,
  rows: number,
  signal: AbortSignal,
): Promise<boolean> {
  let wasSecret = false
  try {
    const answer = await chat.answer(text, signal)
    wasSecret = answer.wasSecret
    if (wasSecret) chat.output.write(UP_AND_ERASE.repeat(rows))
    for await (const said of answer.texts) chat.output.write(`${printable(said)}\n`)
  } catch (error) {
    chat.output.write(`${printable(chat.apologise(error))}\n`)
  }
  return wasSecret
}

async function ask(
  chat: TerminalChat,
  screen: Screen,
  lines: Interface,
  isOver: () => boolean,
): Promise<void> {
  const wanted = await chat.secretWanted().catch(() => undefined)
  if (isOver()) return
  lines.setPrompt(
    wanted === undefined ? PROMPT : `${seenLine(wanted, LONGEST_QUESTION)} (hidden): `,
  )
  lines.prompt(true)
  if (wanted !== undefined) screen.hide()
}

/** Arrow-up must not bring it back. It need not be the newest: others may have been typed while it was answered. */
function forgetLine(lines: Interface, line: string): void {
  if (!('history' in lines) || !Array.isArray(lines.history)) return
  const { history } = lines
  for (let at = history.length - 1; at >= 0; at -= 1)
    if (history[at] === line) history.splice(at, 1)
}

interface Screen {
  readonly stream: Writable
  readonly isHidden: boolean
  hide(): void
  show(): void
}

function createScreen(output: NodeJS.WritableStream): Screen {
  let isHidden = false
  const stream = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      if (!isHidden) output.write(chunk)
      done()
    },
  })
  // readline draws by the width of what it writes to.
  if ('columns' in output) Object.defineProperty(stream, 'columns', { get: () => output.columns })
  return {
    stream,
    get isHidden() {
      return isHidden
    },
    hide() {
      isHidden = true
    },
    show() {
      if (isHidden) output.write('\n')
      isHidden = false
    },
  }
}
