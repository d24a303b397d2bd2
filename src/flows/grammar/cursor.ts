/** A read position in a list of tokens. */
import type { Token } from './tokens.ts'

export interface Cursor {
  /** The token `ahead` positions further on; undefined past the end. */
  peek(ahead?: number): Token | undefined
  /** The next token that is not the end of a line. */
  peekPastLine(): Token | undefined
  take(): Token | undefined
  /** Skips a line end, if it is the next token. */
  skipLine(): void
  /** The end offset of the token that was taken last. */
  readonly end: number
}

export function createCursor(tokens: readonly Token[]): Cursor {
  let next = 0
  const peek = (ahead = 0): Token | undefined => tokens[next + ahead]
  return {
    peek,
    peekPastLine: () => peek(peek()?.kind === 'line' ? 1 : 0),
    take() {
      const token = peek()
      if (token) next += 1
      return token
    },
    skipLine() {
      if (peek()?.kind === 'line') next += 1
    },
    get end() {
      return tokens[next - 1]?.end ?? 0
    },
  }
}
