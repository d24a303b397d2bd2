/** A chat in this terminal: one line in, one answer out. Whoever holds the terminal is the owner. */
import { createInterface } from 'node:readline/promises'

export interface TerminalChat {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  /** Answers one message. What it throws is shown by `apologise`, and the chat goes on. */
  answer(text: string, signal: AbortSignal): Promise<string>
  apologise(error: unknown): string
}

const GOODBYES = new Set(['exit', 'quit', '/exit', '/quit'])

/** Returns when the person leaves, the input ends, or `signal` aborts. */
export async function runTerminalChat(chat: TerminalChat, signal: AbortSignal): Promise<void> {
  const lines = createInterface({ input: chat.input, output: chat.output, prompt: '› ' })
  // Ctrl-C belongs to the prompt while it has the terminal: it leaves the chat.
  lines.on('SIGINT', () => lines.close())
  signal.addEventListener('abort', () => lines.close(), { once: true })
  if (signal.aborted) lines.close()
  lines.prompt()
  for await (const line of lines) {
    const text = line.trim()
    if (GOODBYES.has(text)) break
    if (text) await reply(chat, text, signal)
    lines.prompt()
  }
  lines.close()
}

async function reply(chat: TerminalChat, text: string, signal: AbortSignal): Promise<void> {
  const answer = await chat.answer(text, signal).catch((error: unknown) => chat.apologise(error))
  chat.output.write(`${answer}\n`)
}
