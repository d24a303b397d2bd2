/** Says on standard error how far a long command is: nothing in the first second, then a line every two. */
import type { Output } from './output.ts'

const FIRST_MS = 1000
const EVERY_MS = 2000

export interface Progress extends Disposable {
  end(): void
  /** Says nothing while `work` lasts, for example while a person types. */
  quietly<T>(work: () => Promise<T>): Promise<T>
}

/** An empty line is not said. */
export function watchProgress(output: Output, line: () => Promise<string>): Progress {
  let isQuiet = false
  let timer = setTimeout(tell, FIRST_MS)
  function tell(): void {
    timer = setTimeout(tell, EVERY_MS)
    if (isQuiet) return
    // A failure to ask shows up in the command itself.
    void line().then(
      (text) => text !== '' && output.note(text),
      () => undefined,
    )
  }
  const end = (): void => clearTimeout(timer)
  return {
    end,
    async quietly(work) {
      isQuiet = true
      try {
        return await work()
      } finally {
        isQuiet = false
      }
    },
    [Symbol.dispose]: end,
  }
}
