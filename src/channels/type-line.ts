/** One line that a command asks for: a secret, or any line in a terminal without escape sequences. */
import type { ChatPlace } from './chat-lines.ts'
import { isCtrl, type Key, openKeyboard } from './keyboard.ts'
import { PlainLine } from './plain-line.ts'

export interface TypedQuestion {
  readonly prompt: string
  readonly isHidden: boolean
}

/** Undefined when the person leaves with Ctrl-C or Ctrl-D, or when `signal` aborts. */
export async function typeLine(
  { input, output, isDumb }: ChatPlace,
  { prompt, isHidden }: TypedQuestion,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (signal.aborted) return undefined
  const line = new PlainLine(output, { isHidden, isDumb })
  const { promise: typed, resolve } = Promise.withResolvers<string | undefined>()
  const leave = (): void => resolve(undefined)
  using keyboard = openKeyboard(input, {
    keys: (keys) => takeAll(keys),
    ended: leave,
    resumed: () => line.draw(prompt),
  })
  const takeAll = (keys: readonly Key[]): void => {
    const end = keys.findLastIndex(({ text }) => text !== '')
    for (const [at, key] of keys.entries()) {
      if (isCtrl(key, 'c') || (isCtrl(key, 'd') && line.isEmpty)) return leave()
      if (isCtrl(key, 'z')) {
        line.erase()
        keyboard.suspend()
        continue
      }
      const text = line.take(key, at < end)
      if (text !== undefined) return resolve(text)
    }
  }
  signal.addEventListener('abort', leave, { once: true })
  line.draw(prompt)
  const text = await typed
  signal.removeEventListener('abort', leave)
  if (text === undefined) line.erase()
  return text
}
