/** Splits a name into words: `getUserByID`, `get_user-by.id` and `get user by id` give the same words. Pure. */

/** No honest name is longer; only the beginning of a longer one is read. */
const MAX_NAME = 300

export function nameTokens(name: string): readonly string[] {
  return name
    .slice(0, MAX_NAME)
    .normalize('NFKC')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** The singular of a noun; words that only look like a plural stay unchanged. */
export function singular(word: string): string {
  if (word.length < 4 || /(?:ss|us|is|news)$/.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:ch|sh|x|z|ss)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') ? word.slice(0, -1) : word
}
