/** A chat whose lines are piped in. The input may end before its last line is answered; then no prompt follows. */
import { createInterface } from 'node:readline'
import type { ChatLines, ChatPlace } from './chat-lines.ts'

export function openPipedLines({ input, output }: ChatPlace, signal: AbortSignal): ChatLines {
  const lines = createInterface({ input, terminal: false })
  const iterator = lines[Symbol.asyncIterator]() // from here on no line is lost
  const close = (): void => lines.close()
  const never = new AbortController().signal
  let isOver = false
  let isHidden = false
  lines.once('close', () => {
    isOver = true
  })
  signal.addEventListener('abort', close, { once: true })
  if (signal.aborted) close()
  return {
    ask(question) {
      if (isOver) return
      output.write(question.prompt)
      ;({ isHidden } = question)
    },
    async next() {
      const { done, value } = await iterator.next()
      if (done || signal.aborted) return undefined
      if (isHidden) output.write('\n')
      const line = { text: value, wasHidden: isHidden }
      isHidden = false
      return line
    },
    interject: () => false, // nobody is there to read it
    forget: () => undefined,
    interruption: () => never,
    [Symbol.dispose]() {
      signal.removeEventListener('abort', close)
      close()
    },
  }
}
