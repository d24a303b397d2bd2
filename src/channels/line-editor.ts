/** One line of a terminal while it is typed. An implementation draws nothing but this line and its prompt. */
import type { Key } from './keyboard.ts'

export interface LineEditor {
  readonly isEmpty: boolean
  /** Draws the prompt and the typed text. The cursor must be at the beginning of a row. */
  draw(prompt: string): void
  /** Leaves the cursor at the beginning of a row, so that other text can be written there. */
  erase(): void
  /** Discards the typed text. */
  clear(): void
  /**
   * The whole line, once this key has ended it. `isFollowed`: the same read of the terminal brought more characters
   * after this key.
   */
  take(key: Key, isFollowed: boolean): string | undefined
  /** The width of the terminal has changed. */
  resize(): void
}
