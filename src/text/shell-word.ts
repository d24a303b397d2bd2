/** A word as it is typed into a shell. Pure. */

/** Quotes a word for a POSIX shell, if it needs quotes. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
