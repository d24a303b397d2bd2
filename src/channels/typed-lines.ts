/**
 * A chat whose lines are typed in a terminal. Keys typed while no question is open are held and not drawn: only the
 * next question tells whether they may be seen. Ctrl-C clears the line, a second one leaves.
 */
import type { ChatLine, ChatLines, ChatPlace, Question } from './chat-lines.ts'
import { DrawnLine, MARK_NO_PASTES } from './drawn-line.ts'
import { isCtrl, type Key, type Keyboard, openKeyboard } from './keyboard.ts'
import type { LineEditor } from './line-editor.ts'
import { PlainLine } from './plain-line.ts'

interface HeldKey {
  readonly key: Key
  readonly isFollowed: boolean
}

export function openTypedLines(place: ChatPlace, signal: AbortSignal): ChatLines {
  const lines = new TypedLines(place)
  if (signal.aborted) lines.leave()
  signal.addEventListener('abort', () => lines.leave(), { once: true })
  return lines
}

class TypedLines implements ChatLines {
  readonly #output: NodeJS.WritableStream
  readonly #keyboard: Keyboard
  readonly #drawn: DrawnLine | undefined
  readonly #seen: LineEditor
  readonly #hidden: LineEditor
  readonly #left = new AbortController()
  readonly #resize = (): void => {
    if (this.#question) this.#editor.resize()
  }
  #held: HeldKey[] = []
  #question: Question | undefined
  #line = Promise.withResolvers<ChatLine | undefined>()
  #busy = new AbortController()
  /** The last key was Ctrl-C, and the hint about a second one was shown. */
  #isWarned = false

  constructor({ input, output, isDumb }: ChatPlace) {
    this.#output = output
    this.#drawn = isDumb ? undefined : new DrawnLine(output)
    this.#seen = this.#drawn ?? new PlainLine(output, { isHidden: false, isDumb })
    this.#hidden = new PlainLine(output, { isHidden: true, isDumb })
    this.#keyboard = openKeyboard(input, {
      keys: (keys) => this.#take(keys),
      ended: () => this.leave(),
      resumed: () => this.#question && this.#editor.draw(this.#question.prompt),
    })
    output.on('resize', this.#resize)
  }

  ask(question: Question): void {
    if (this.#left.signal.aborted) return
    this.#question = question
    this.#editor.draw(question.prompt)
    this.#work()
  }

  async next(): Promise<ChatLine | undefined> {
    const line = await this.#line.promise
    if (!this.#left.signal.aborted) this.#line = Promise.withResolvers()
    return line
  }

  interject(text: string, question: Question): boolean {
    if (!this.#question) return false
    this.#editor.erase()
    this.#output.write(`${text}\n`)
    this.ask(question)
    return true
  }

  forget(line: string): void {
    this.#drawn?.forget(line)
  }

  interruption(): AbortSignal {
    return this.#busy.signal
  }

  /** Ends the chat; an open question stays unanswered. */
  leave(): void {
    if (this.#left.signal.aborted) return
    this.#left.abort()
    if (this.#question?.isHidden) this.#hidden.erase()
    else if (this.#question) this.#output.write(`${this.#drawn ? MARK_NO_PASTES : ''}\n`)
    this.#question = undefined
    this.#busy.abort()
    this.#line.resolve(undefined)
  }

  [Symbol.dispose](): void {
    this.leave()
    this.#output.off('resize', this.#resize)
    this.#drawn?.[Symbol.dispose]()
    this.#keyboard[Symbol.dispose]()
  }

  get #editor(): LineEditor {
    return this.#question?.isHidden ? this.#hidden : this.#seen
  }

  #take(keys: readonly Key[]): void {
    // A line break belongs to a hidden paste only if the secret was asked for when the paste came.
    const end = this.#question?.isHidden ? keys.findLastIndex(({ text }) => text !== '') : -1
    this.#held.push(...keys.map((key, at) => ({ key, isFollowed: at < end })))
    this.#work()
  }

  #work(): void {
    while (this.#question) {
      const held = this.#held.shift()
      if (!held) return
      this.#type(this.#question, held)
    }
    this.#lookForSignals()
  }

  #type(question: Question, { key, isFollowed }: HeldKey): void {
    if (isCtrl(key, 'c')) return this.#interrupt(question)
    this.#isWarned = false
    if (isCtrl(key, 'z')) return this.#suspend()
    if (isCtrl(key, 'd') && this.#editor.isEmpty) return this.leave()
    const text = this.#editor.take(key, isFollowed)
    if (text === undefined) return
    this.#question = undefined
    this.#busy = new AbortController()
    const shown = question.isHidden ? undefined : this.#drawn?.shown
    this.#line.resolve({
      text,
      wasHidden: question.isHidden,
      ...(shown !== undefined && { shown }),
    })
  }

  #interrupt({ prompt, leaveHint }: Question): void {
    if (this.#isWarned) return this.leave()
    this.#isWarned = true
    this.#editor.clear()
    this.#editor.erase()
    this.#output.write(`${leaveHint}\n`)
    this.#editor.draw(prompt)
  }

  /** While an answer is awaited, typed lines wait; Ctrl-C and Ctrl-Z do not. */
  #lookForSignals(): void {
    const at = this.#held.findLastIndex(({ key }) => isCtrl(key, 'c') || isCtrl(key, 'z'))
    const signal = this.#held[at]
    if (!signal) return
    if (isCtrl(signal.key, 'z')) {
      this.#held.splice(at, 1)
      return this.#suspend()
    }
    this.#held.splice(0, at + 1)
    if (this.#isWarned) return this.leave()
    this.#isWarned = true
    this.#busy.abort()
  }

  #suspend(): void {
    if (this.#question) this.#editor.erase()
    this.#keyboard.suspend()
  }
}
