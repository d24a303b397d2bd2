/**
 * A chat in this terminal: one line in, an answer out. The person at the terminal is the owner. While a secret is asked
 * for, nothing typed is shown; a secret that came unasked is wiped off the screen.
 */
import type { ShownText } from '../api/show-turn.ts'
import { printable, seenLine } from '../text/untrusted-text.ts'
import { wrapLines } from '../text/wrap-lines.ts'
import { isOpenJson } from '../text/client-settings.ts'
import { AnswerWriter, columnsOf } from './answer-writer.ts'
import type { ChatLine, ChatLines, ChatPlace, Question } from './chat-lines.ts'
import { openPipedLines } from './piped-lines.ts'
import { openTypedLines } from './typed-lines.ts'

export interface ChatAnswer {
  /** The texts of the answer, as they become known. */
  readonly texts: AsyncIterable<ShownText>
  /** The message was a secret: it must not stay on the screen. */
  readonly wasSecret: boolean
}

export interface TerminalChat extends ChatPlace {
  /** Answers one message. An error is shown by `apologise`, and the chat goes on. */
  answer(text: string, signal: AbortSignal): Promise<ChatAnswer>
  /** Messages that no typed line caused: a sign-in was completed, a form was sent, a timeout. */
  news(signal: AbortSignal): AsyncIterable<string>
  /** The name of the secret that is asked for next: `Notion token`. Undefined if the next answer is none. */
  secretWanted(): Promise<string | undefined>
  apologise(error: unknown): string
}

const GOODBYES = new Set(['exit', 'quit', '/exit', '/quit'])
const PROMPT = '› '
/** Before further lines of a pasted text. */
const MORE = '  '
const LEAVE = 'Press Ctrl-C again to leave.'
const END_OR_LEAVE = 'Press Enter twice to end this text, or Ctrl-C again to leave.'
const LEAVE_OR_CANCEL = 'Press Ctrl-C again to leave, or type `cancel` to stop connecting.'
const STOPPED = `Stopped waiting for the answer. ${LEAVE}`
const SEVERAL_LINES =
  'Those were several lines, so nothing was sent. Paste the value alone, or type `cancel`.'
const STILL_SHOWN = 'It is still on your screen: this terminal cannot wipe it off.'
const UP_AND_ERASE = '\u001b[1A\u001b[2K'
const TAB_WIDTH = 8
const USUAL_COLUMNS = 80
const LONGEST_QUESTION = 200

/** Returns when the person leaves, the input ends, or `signal` aborts. */
export async function runTerminalChat(chat: TerminalChat, signal: AbortSignal): Promise<void> {
  using lines = isTyped(chat) ? openTypedLines(chat, signal) : openPipedLines(chat, signal)
  for (;;) {
    const first = await nextLine(chat, lines)
    if (!first || GOODBYES.has(first.text.trim())) return
    const line = await wholeText(lines, first)
    if (!line) return
    await answer(chat, lines, line, signal)
  }
}

function isTyped({ input }: ChatPlace): boolean {
  return input.isTTY === true
}

async function nextLine(chat: TerminalChat, lines: ChatLines): Promise<ChatLine | undefined> {
  lines.ask(await question(chat))
  const waiting = new AbortController()
  if (isTyped(chat)) void tellNews(chat, lines, waiting.signal)
  const line = await lines.next()
  waiting.abort()
  return line
}

/**
 * A pasted JSON text comes as several lines, which are one message. It ends with its last bracket, or with two empty
 * lines if that is missing.
 */
async function wholeText(lines: ChatLines, first: ChatLine): Promise<ChatLine | undefined> {
  let { text, shown = first.text } = first
  while (!first.wasHidden && isOpenJson(text) && !/\n\s*\n\s*$/.test(text)) {
    lines.ask({ prompt: MORE, isHidden: false, leaveHint: END_OR_LEAVE })
    const more = await lines.next()
    if (!more) return undefined
    lines.forget(more.text)
    text += `\n${more.text}`
    shown += `\n${more.shown ?? more.text}`
  }
  return { ...first, text, shown }
}

async function question(chat: TerminalChat): Promise<Question> {
  const wanted = await chat.secretWanted().catch(() => undefined)
  if (wanted === undefined) return { prompt: PROMPT, isHidden: false, leaveHint: LEAVE }
  const prompt = `${seenLine(wanted, LONGEST_QUESTION)} (hidden): `
  return { prompt, isHidden: true, leaveHint: LEAVE_OR_CANCEL }
}

/** Writes news above the prompt, which is drawn anew because the question may have changed. */
async function tellNews(chat: TerminalChat, lines: ChatLines, signal: AbortSignal): Promise<void> {
  try {
    for await (const text of chat.news(signal)) {
      const next = await question(chat)
      // A text that comes too late is not shown here, and is told with the next prompt.
      const shown = wrapLines(printable(text), columnsOf(chat.output))
      if (signal.aborted || !lines.interject(shown, next)) return
    }
  } catch {
    // the error shows up again in the answer to the next line
  }
}

async function answer(
  chat: TerminalChat,
  lines: ChatLines,
  { text: line, wasHidden, shown = line }: ChatLine,
  signal: AbortSignal,
): Promise<void> {
  const text = line.trim()
  if (text === '') return
  if (wasHidden && text.includes('\n')) return void chat.output.write(`${SEVERAL_LINES}\n`)
  const stopped = lines.interruption()
  const over = AbortSignal.any([signal, stopped])
  // Spaces at the ends of a passphrase belong to it.
  const message = wasHidden
    ? { text: line.replace(/[\r\n]+$/, ''), rows: 0 }
    : { text, rows: rowsOf(shown, chat.output) }
  // An answer that ignores the cancellation must not keep the prompt away.
  const writer = new AnswerWriter(chat.output)
  const replied = reply(chat, { ...message, writer }, over)
  const wasSecret = await Promise.race([replied, whenAborted(over)])
  writer.end()
  if (wasSecret !== false) for (const one of line.split('\n')) lines.forget(one)
  if (stopped.aborted && !signal.aborted) chat.output.write(`${STOPPED}\n`)
}

function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

interface Message {
  readonly text: string
  /** The number of rows that the message takes on the screen. */
  readonly rows: number
  readonly writer: AnswerWriter
}

/** Whether the message turned out to be a secret. Writes nothing once `over` is aborted. */
async function reply(chat: TerminalChat, message: Message, over: AbortSignal): Promise<boolean> {
  const say = (text: ShownText): void => {
    if (!over.aborted) message.writer.write(text)
  }
  let wasSecret = false
  try {
    const given = await chat.answer(message.text, over)
    wasSecret = given.wasSecret
    if (wasSecret) wipe(chat, message.rows, say)
    for await (const text of given.texts) say(text)
  } catch (error) {
    say(chat.apologise(error))
  }
  return wasSecret
}

function wipe(place: ChatPlace, rows: number, say: (text: string) => void): void {
  if (rows === 0 || !isTyped(place)) return
  if (place.isDumb) say(STILL_SHOWN)
  else place.output.write(UP_AND_ERASE.repeat(rows))
}

/** The number of rows that a typed line takes, at most; readline begins a new row when the last is full. */
function rowsOf(text: string, output: NodeJS.WritableStream): number {
  return text.split('\n').reduce((rows, line) => rows + rowsOfLine(line, output), 0)
}

function rowsOfLine(line: string, output: NodeJS.WritableStream): number {
  let width = PROMPT.length
  for (const character of line) {
    if (character === '\t') width += TAB_WIDTH
    else width += character <= '~' ? 1 : 2
  }
  const columns = ('columns' in output && Number(output.columns)) || USUAL_COLUMNS
  return Math.floor(width / columns) + 1
}
