/** The words a shell has already cut: its quotes are gone, so each argument is taken as it is. */
import type { Token } from './tokens.ts'

const JOINS: ReadonlySet<string> = new Set(['>>', '|>', 'then'])

export interface ShownArguments {
  /** As one would type them; the offsets of the tokens count in it. */
  readonly shown: string
  readonly tokens: readonly Token[]
}

export function argvTokens(argv: readonly string[]): ShownArguments {
  const tokens: Token[] = []
  const words: string[] = []
  let at = 0
  for (const text of argv) {
    const word = JOINS.has(text) ? text : shellWord(text)
    const end = at + word.length
    const start = word.startsWith("'") ? at + 1 : at
    tokens.push(
      JOINS.has(text)
        ? { kind: 'join', at, end }
        : { kind: 'word', text, at: start, end, bare: text.length },
    )
    words.push(word)
    at = end + 1
  }
  // A line feed inside an argument is not a new line of the command.
  return { shown: words.join(' ').replaceAll('\n', ' '), tokens }
}

/** A word as a POSIX shell reads it. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
