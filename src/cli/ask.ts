/**
 * Asks the person at the terminal. Secrets are read hidden or from standard input, never from the command line. Control
 * characters in a question are never sent to the terminal. Every question ends when its signal aborts.
 */
import { isUtf8 } from 'node:buffer'
import { addAbortSignal } from 'node:stream'
import { CordonError } from '../kernel/error.ts'
import { isLongEnough, LEAST_PASSPHRASE } from '../text/is-long-enough.ts'
import { readAtMost } from '../text/read-at-most.ts'
import type { Context } from './context.ts'
import { printableLine } from './output.ts'
import type { Terminal } from './context.ts'

const MOST_BYTES = 64 * 1024
/** Fits into one request to the kernel, whichever characters it holds. */
const MOST_PIPED_BYTES = 512 * 1024

/** A secret typed without echo, or all of standard input without its last line break. */
export async function askSecret(
  terminal: Terminal,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  if (!terminal.stdin.isTTY) return await readStdin(terminal.stdin, signal)
  const prompt = `${printableLine(question)} (hidden): `
  return required<string>(await terminal.typeLine({ prompt, isHidden: true }, signal))
}

/** A new passphrase; typed twice in a terminal. */
export async function askNewPassphrase(terminal: Terminal, signal: AbortSignal): Promise<string> {
  const question = `New passphrase (at least ${LEAST_PASSPHRASE} characters)`
  const first = await askSecret(terminal, question, signal)
  if (!terminal.stdin.isTTY) return first
  if (!isLongEnough(first)) {
    terminal.stderr.write(`That is shorter than ${LEAST_PASSPHRASE} characters.\n`)
    return await askNewPassphrase(terminal, signal)
  }
  if ((await askSecret(terminal, 'The same passphrase again', signal)) === first) return first
  throw new CordonError(
    'cli.passphrase-differs',
    { exit: 2, hint: 'Run the command again and type the same passphrase twice' },
    'Cannot use the passphrase: the two entries differ',
  )
}

/** The answers to a series of questions. Disposing stops reading standard input. */
export interface Answers extends Disposable {
  /** When `signal` aborts, the question is withdrawn, and text typed later is not taken as its answer. */
  next(question: string, isSecret: boolean, signal: AbortSignal): Promise<string>
}

/** Asks at the terminal; without one, each line of standard input is one answer. `left` aborts reading. */
export function createAnswers(terminal: Terminal, left: AbortSignal): Answers {
  const { stdin } = terminal
  let piped: Promise<string[]> | undefined
  return {
    async next(question, isSecret, signal) {
      if (stdin.isTTY) {
        const ask = isSecret ? askSecret : askText
        return await ask(terminal, question, signal)
      }
      piped ??= readStdin(stdin, left).then((text) => text.split(/\r?\n/))
      const lines = await piped
      signal.throwIfAborted()
      const answer = lines.shift()
      if (answer) return answer
      throw new CordonError(
        'cli.no-answer',
        { exit: 2, hint: 'Pipe in one line for each answer, or run it in a terminal' },
        `Cannot go on without an answer: ${printableLine(question)}`,
      )
    },
    [Symbol.dispose]() {
      if (piped) stdin.destroy() // it may never end, and would keep the process alive
    },
  }
}

async function askText(terminal: Terminal, message: string, signal: AbortSignal): Promise<string> {
  if (terminal.isDumb) return required<string>(await typeShown(terminal, message, signal))
  const { text } = await import('@clack/prompts')
  return required<string>(await text(asked(terminal, message, signal)))
}

/** A confirmation, with no as the default. Without a terminal it requires `--yes`. */
export async function confirm(
  { surface: { terminal }, signal }: Pick<Context, 'surface' | 'signal'>,
  question: string,
  yes: boolean,
): Promise<void> {
  if (yes) return
  if (!terminal.stdin.isTTY) {
    throw new CordonError(
      'cli.needs-yes',
      { exit: 2, hint: 'Add `--yes` when you are sure' },
      'Cannot ask for confirmation without a terminal',
    )
  }
  if (await isConfirmed(terminal, question, signal)) return
  throw cancelled()
}

export async function isConfirmed(
  terminal: Terminal,
  question: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (terminal.isDumb) {
    const typed = await typeShown(terminal, `${question} (y/N)`, signal)
    return isKey(required<string>(typed), 'y')
  }
  const prompts = await import('@clack/prompts')
  const options = { ...asked(terminal, question, signal), initialValue: false }
  return required<boolean>(await prompts.confirm(options))
}

/** The key of the chosen option; the first option if the person chooses none or leaves, or if `signal` aborts. */
export async function askKey<K extends string>(
  terminal: Terminal,
  message: string,
  choices: readonly [readonly [K, string], ...(readonly [K, string])[]],
  signal: AbortSignal,
): Promise<K> {
  const [[first]] = choices
  if (terminal.isDumb) {
    for (const [key, label] of choices) terminal.stderr.write(`  ${key}  ${printableLine(label)}\n`)
    const typed = (await typeShown(terminal, message, signal)) ?? first
    return choices.find(([key]) => isKey(typed, key))?.[0] ?? first
  }
  const { selectKey } = await import('@clack/prompts')
  const options = choices.map(([value, label]) => ({ value: value as string, label }))
  const initialValue: string = first
  const taken = await selectKey({ ...asked(terminal, message, signal), options, initialValue })
  return choices.find(([key]) => key === taken)?.[0] ?? first
}

/** For a terminal without escape sequences. */
async function typeShown(
  terminal: Terminal,
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const prompt = `${printableLine(question)}: `
  return await terminal.typeLine({ prompt, isHidden: false }, signal)
}

const KEY_WORDS: Readonly<Record<string, string>> = { y: 'yes', n: 'no' }

function isKey(typed: string, key: string): boolean {
  const word = typed.trim().toLowerCase()
  return word === key || word === KEY_WORDS[key]
}

/** Prompts are drawn on standard error, so that standard output carries only the answer. */
function asked({ stdin, stderr }: Terminal, question: string, signal: AbortSignal) {
  return { message: printableLine(question), signal, input: stdin, output: stderr }
}

/** The whole of standard input, without its last line break; may be empty. */
export async function readPiped(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<string> {
  return await readAll(stdin, MOST_PIPED_BYTES, tooMuchPiped, signal)
}

async function readAll(
  stdin: NodeJS.ReadStream,
  mostBytes: number,
  tooMuch: () => CordonError,
  signal: AbortSignal,
): Promise<string> {
  const all = await readAtMost(addAbortSignal(signal, stdin), mostBytes)
  if (!all) throw tooMuch()
  if (!isUtf8(all)) throw notText() // decoding would silently change other bytes
  return all.toString().replace(/\r?\n$/, '')
}

async function readStdin(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<string> {
  const text = await readAll(stdin, MOST_BYTES, tooLong, signal)
  if (text) return text
  throw new CordonError(
    'cli.no-input',
    { exit: 2, hint: 'Pipe the value in, for example: `cordon vault set NAME < file`' },
    'Cannot read a value: standard input is empty',
  )
}

/** An answer, unless the person pressed Ctrl-C or Escape. */
function required<T extends string | boolean>(answer: T | symbol | undefined): T {
  if (answer === undefined || typeof answer === 'symbol') throw cancelled()
  return answer
}

export function cancelled(why: string = 'you said no'): CordonError {
  return new CordonError(
    'cli.cancelled',
    { exit: 3, hint: 'Run the command again to start over' },
    `Cannot go on: ${why}`,
  )
}

function notText(): CordonError {
  return new CordonError(
    'cli.no-input',
    { exit: 2, hint: 'Convert it to UTF-8 first; what is no text at all, to base64' },
    'Cannot read a value: standard input is not text in UTF-8',
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
