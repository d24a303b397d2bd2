/** The lines of a chat: typed in a terminal, or piped in. */
import type { TerminalInput } from './keyboard.ts'

export interface Question {
  readonly prompt: string
  /** Typed characters are neither shown nor remembered. */
  readonly isHidden: boolean
  /** Tells the person what a second Ctrl-C does. */
  readonly leaveHint: string
}

export interface ChatLine {
  readonly text: string
  readonly wasHidden: boolean
  /** As it stands on the screen, if that is not the text: a paste is shown by its size. */
  readonly shown?: string
}

export interface ChatLines extends Disposable {
  /** Asks a question; a line that was typed or piped in earlier may be the answer. */
  ask(question: Question): void
  /** The line that answers the question; undefined when the person has left. */
  next(): Promise<ChatLine | undefined>
  /** Writes a text above the question, which may be another one then; false where no question stands any more. */
  interject(text: string, question: Question): boolean
  /** The line was a secret: it is in no history. */
  forget(line: string): void
  /** Aborts when the person presses Ctrl-C while their last line is being answered. */
  interruption(): AbortSignal
}

/** The terminal or pipe of a chat. */
export interface ChatPlace {
  readonly input: TerminalInput
  readonly output: NodeJS.WritableStream
  /** The terminal understands no escape sequences (TERM=dumb), or the output is not a terminal. */
  readonly isDumb: boolean
  /** The folder that the chat was started in. */
  readonly folder?: string
  /** The name of the terminal, such as /dev/pts/3; absent where there is none. */
  readonly chat?: string
}
