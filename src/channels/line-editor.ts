/** One line of a terminal while it is typed. Those who implement it draw nothing but this line and its prompt. */
import type { Key } from './keyboard.ts'

export interface LineEditor {
  readonly isEmpty: boolean
  /** Draws the prompt and what was typed so far. The cursor is at the beginning of a row. */
  draw(prompt: string): void
  /** Leaves the cursor at the beginning of a row, so that something else can be written there. */
  erase(): void
  /** What was typed is gone. */
  clear(): void
  /**
   * The whole line, once this key has ended it.
   * `isFollowed`: the same read of the terminal brought more characters after this key.
   */
  take(key: Key, isFollowed: boolean): string | undefined
  /** The terminal has another width now. */
  resize(): void
}
