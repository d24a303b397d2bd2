/** Asks the person at the terminal. Secrets are read hidden, or from standard input; never from the command line. */
import { CordonError } from '../kernel/error.ts'
import type { Terminal } from './surface.ts'

const MOST_BYTES = 64 * 1024
/** What fits into one request to the kernel, whatever its characters are. */
const MOST_PIPED_BYTES = 512 * 1024

/** A secret typed without echo, or everything on standard input without its last line break. */
export async function askSecret(
  terminal: Terminal,
  question: string,
  signal?: AbortSignal,
): Promise<string> {
  if (!terminal.stdin.isTTY) return await readStdin(terminal.stdin)
  const { password } = await import('@clack/prompts')
  const options = { message: question, ...(signal && { signal }), ...streams(terminal) }
  return required<string>(await password(options))
}

/** A new passphrase, typed twice where there is a terminal. */
export async function askNewPassphrase(terminal: Terminal): Promise<string> {
  const first = await askSecret(terminal, 'New passphrase (at least 8 characters)')
  if (!terminal.stdin.isTTY) return first
  if ((await askSecret(terminal, 'The same passphrase again')) === first) return first
  throw new CordonError(
    'cli.passphrase-differs',
    { exit: 2, hint: 'Run the command again and type the same passphrase twice' },
    'Cannot use the passphrase: the two entries differ',
  )
}

/** Answers to questions that come one after the other. Once it is disposed, nobody waits for more of them. */
export interface Answers extends Disposable {
  /** When `signal` aborts, the question is settled otherwise: it is taken away, and what is typed later is no answer to it. */
  next(question: string, isSecret: boolean, signal: AbortSignal): Promise<string>
}

/** Asked at the terminal; where there is none, each line of standard input is one answer. */
export function createAnswers(terminal: Terminal): Answers {
  const { stdin } = terminal
  let piped: Promise<string[]> | undefined
  return {
    async next(question, isSecret, signal) {
      if (stdin.isTTY) {
        const ask = isSecret ? askSecret : askText
        return await ask(terminal, question, signal)
      }
      piped ??= readStdin(stdin).then((text) => text.split(/\r?\n/))
      const lines = await piped
      signal.throwIfAborted()
      const answer = lines.shift()
      if (answer) return answer
      throw new CordonError(
        'cli.no-answer',
        { exit: 2, hint: 'Pipe in one line for each answer, or run it in a terminal' },
        `Cannot go on without an answer: ${question}`,
      )
    },
    [Symbol.dispose]() {
      if (piped) stdin.destroy() // it may never end, and would keep the process waiting
    },
  }
}

async function askText(terminal: Terminal, message: string, signal: AbortSignal): Promise<string> {
  const { text } = await import('@clack/prompts')
  return required<string>(await text({ message, signal, ...streams(terminal) }))
}

/** A yes or no before something is lost. Without a terminal it takes `--yes`. */
export async function confirm(terminal: Terminal, question: string, yes: boolean): Promise<void> {
  if (yes) return
  if (!terminal.stdin.isTTY) {
    throw new CordonError(
      'cli.needs-yes',
      { exit: 2, hint: 'Add `--yes` when you are sure' },
      'Cannot ask for confirmation without a terminal',
    )
  }
  const prompts = await import('@clack/prompts')
  const options = { message: question, initialValue: false, ...streams(terminal) }
  if (required<boolean>(await prompts.confirm(options))) return
  throw cancelled()
}

/** The key of the choice that was taken; the first where the person takes none, leaves, or it is settled otherwise. */
export async function askKey<K extends string>(
  terminal: Terminal,
  message: string,
  choices: readonly [readonly [K, string], ...(readonly [K, string])[]],
  signal: AbortSignal,
): Promise<K> {
  const { selectKey } = await import('@clack/prompts')
  const options = choices.map(([value, label]) => ({ value: value as string, label }))
  const [[first]] = choices
  const initialValue: string = first
  const taken = await selectKey({ message, options, initialValue, signal, ...streams(terminal) })
  return choices.find(([key]) => key === taken)?.[0] ?? first
}

/** Prompts are drawn on standard error, so that standard output carries only the answer. */
function streams(terminal: Terminal): { input: NodeJS.ReadStream; output: NodeJS.WriteStream } {
  return { input: terminal.stdin, output: terminal.stderr }
}

/** Everything that was piped in, without its last line break; empty where that is nothing. */
export async function readPiped(stdin: NodeJS.ReadStream): Promise<string> {
  return await readAll(stdin, MOST_PIPED_BYTES, tooMuchPiped)
}

async function readAll(
  stdin: NodeJS.ReadStream,
  mostBytes: number,
  tooMuch: () => CordonError,
): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw tooMuch()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '')
}

async function readStdin(stdin: NodeJS.ReadStream): Promise<string> {
  const text = await readAll(stdin, MOST_BYTES, tooLong)
  if (text) return text
  throw new CordonError(
    'cli.no-input',
    { exit: 2, hint: 'Pipe the value in, for example: `cordon vault set NAME < file`' },
    'Cannot read a value: standard input is empty',
  )
}

/** An answer, unless the person pressed Ctrl-C or Escape. */
function required<T extends string | boolean>(answer: T | symbol): T {
  if (typeof answer === 'symbol') throw cancelled()
  return answer
}

function cancelled(): CordonError {
  return new CordonError(
    'cli.cancelled',
    { exit: 3, hint: 'Run the command again to start over' },
    'Cannot go on: you said no',
  )
}

function tooLong(): CordonError {
  return new CordonError(
    'cli.too-long',
    { exit: 2, hint: 'Store at most 64 KiB under one name' },
    'Cannot read a value of this size',
  )
}

function tooMuchPiped(): CordonError {
  return new CordonError(
    'cli.too-long',
    { exit: 2, hint: 'Write it into a file, and let the flow begin with read-file' },
    'Cannot read more than 512 KiB from standard input',
  )
}
