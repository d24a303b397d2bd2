/** The lines a chat is given: typed in a terminal, or piped in. */
import type { TerminalInput } from './keyboard.ts'

export interface Question {
  readonly prompt: string
  /** Nothing of what is typed is shown or remembered. */
  readonly isHidden: boolean
  /** Says what a second Ctrl-C does. */
  readonly leaveHint: string
}

export interface ChatLine {
  readonly text: string
  readonly wasHidden: boolean
}

export interface ChatLines extends Disposable {
  /** Puts a question; a line that was typed or piped in before may be the answer. */
  ask(question: Question): void
  /** The line that answers the question; undefined when the person has left. */
  next(): Promise<ChatLine | undefined>
  /** Writes a text above the question, which may be another one then; false where no question stands any more. */
  interject(text: string, question: Question): boolean
  /** The line was a secret: it is in no history. */
  forget(line: string): void
  /** Aborts when the person presses Ctrl-C while the line they typed last is answered. */
  interruption(): AbortSignal
}

/** The terminal or pipe of a chat. */
export interface ChatPlace {
  readonly input: TerminalInput
  readonly output: NodeJS.WritableStream
  /** The terminal understands no escape sequences (TERM=dumb), or the output is no terminal. */
  readonly isDumb: boolean
}
