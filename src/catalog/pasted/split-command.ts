/**
 * Splits a pasted command line into words. The line is never given to a shell, so shell syntax (pipes, substitutions,
 * redirections) is refused instead of being passed on as an argument.
 */
import { unreadable } from '../catalog-errors.ts'

const MAX_WORDS = 200
/** One part of a word, or the space between two words. */
const PIECE =
  /'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[^])*)"|\\(?<escaped>[^])|(?<space>\s+)|(?<plain>[^\s'"\\]+)/gy
const SHELL_ONLY = /[|&;<>`]|\$[({]/

export function splitCommand(pasted: string): readonly string[] {
  const text = pasted.replace(/\\\r?\n/g, ' ')
  if (/[\r\n]/.test(text)) throw unreadable('several lines', 'Paste one line')
  const words = readWords(text)
  if (words.length > MAX_WORDS) throw unreadable('so long a command', 'Paste a shorter line')
  return words
}

function readWords(text: string): readonly string[] {
  const words: string[] = []
  let word: string | undefined
  let end = 0
  for (const { 0: piece, index, groups = {} } of text.matchAll(PIECE)) {
    end = index + piece.length
    if (groups['space'] === undefined) {
      word = (word ?? '') + pieceText(groups)
    } else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  if (end < text.length) throw unreadable('a command with an open quote', 'Paste the whole line')
  return word === undefined ? words : [...words, word]
}

function pieceText(groups: Readonly<Record<string, string | undefined>>): string {
  const { single, double, escaped, plain = '' } = groups
  if (single !== undefined) return single
  const text = double ?? plain
  if (SHELL_ONLY.test(text)) {
    throw unreadable('a line that needs a shell', 'Paste only the command that starts the server')
  }
  return escaped ?? text.replace(/\\(["\\$`])/g, '$1')
}
