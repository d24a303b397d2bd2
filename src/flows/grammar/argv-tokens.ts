/**
 * Turns arguments that a shell has already split into tokens: the quotes are gone, so each argument is taken literally.
 */
import { shellWord } from '../../text/shell-word.ts'
import type { Token } from './tokens.ts'

const JOINS: ReadonlySet<string> = new Set(['>>', '|>', 'then'])

export interface ShownArguments {
  /** The arguments as they would be typed; token offsets refer to this text. */
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
  // A line feed inside an argument does not start a new line of the command.
  return { shown: words.join(' ').replaceAll('\n', ' '), tokens }
}
