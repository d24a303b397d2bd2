/** The progress of a run on standard error: one line per event; in a terminal, one line that is rewritten. */
import { printableLine } from '../output.ts'
import type { Terminal } from '../context.ts'

export interface RunProgress {
  show(text: string): void
  /** While a question is open in the terminal, nothing is written over it. */
  hold(): void
  release(): void
  /** Erases the rewritten line. */
  clear(): void
}

const CLEAR_LINE = '\r\u001b[2K'
const NARROWEST = 20

export function createProgress({ stderr, isDumb }: Terminal): RunProgress {
  const isRewritten = stderr.isTTY && !isDumb
  let held = 0
  let isDirty = false
  let waiting: string | undefined
  const write = (text: string): void => {
    const line = printableLine(text)
    if (!isRewritten) return void stderr.write(`${line}\n`)
    const width = Math.max(NARROWEST, (stderr.columns ?? 80) - 1)
    stderr.write(CLEAR_LINE + Array.from(line).slice(0, width).join(''))
    isDirty = true
  }
  const clear = (): void => {
    if (isDirty) stderr.write(CLEAR_LINE)
    isDirty = false
  }
  return {
    show(text) {
      if (held > 0 && isRewritten) waiting = text
      else write(text)
    },
    hold() {
      held += 1
      clear()
    },
    release() {
      held -= 1
      if (held === 0 && waiting !== undefined) write(waiting)
      waiting = undefined
    },
    clear,
  }
}
