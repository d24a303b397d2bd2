/**
 * Splits a command line into words as a shell would, without giving it to one. Shell syntax (pipes, substitutions,
 * redirections) is a problem instead of an argument. Pure.
 */

/** One part of a word, or the space between two words. */
const PIECE =
  /'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[^])*)"|\\(?<escaped>[^])|(?<space>\s+)|(?<plain>[^\s'"\\]+)/gy
const SHELL_ONLY = /[|&;<>`]|\$[({]/

export type CommandWords = readonly string[] | 'open-quote' | 'needs-shell'

export function commandWords(text: string): CommandWords {
  const words: string[] = []
  let word: string | undefined
  let end = 0
  for (const { 0: piece, index, groups = {} } of text.matchAll(PIECE)) {
    end = index + piece.length
    if (groups['space'] === undefined) {
      const part = pieceText(groups)
      if (part === undefined) return 'needs-shell'
      word = (word ?? '') + part
    } else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  if (end < text.length) return 'open-quote'
  return word === undefined ? words : [...words, word]
}

function pieceText(groups: Readonly<Record<string, string | undefined>>): string | undefined {
  const { single, double, escaped, plain = '' } = groups
  if (single !== undefined) return single
  const text = double ?? plain
  if (SHELL_ONLY.test(text)) return undefined
  return escaped ?? text.replace(/\\(["\\$`])/g, '$1')
}
