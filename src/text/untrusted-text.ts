/**
 * Sanitises untrusted text for display: characters that move the cursor, hide text or reverse it are removed or spelled
 * out. Redact after removing, never before: an invisible character inside a secret would keep it from being found.
 */

/** Control and format characters and unusual line ends; tabs and line feeds are allowed. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** Joiners and variation selectors: needed by some scripts and by emoji, and hide nothing by themselves. */
const JOINERS = new Set(['\u200c', '\u200d', '\ufe0e', '\ufe0f'])

/** The empty Braille pattern: visible by its category, but drawn as a blank. Deceives only in a name. */
const BLANK_SIGN = '\u2800'

export function holdsUnseen(text: string): boolean {
  return text.search(UNSEEN) >= 0 || text.includes(BLANK_SIGN)
}

/** Removes invisible characters. */
export function seenText(text: string): string {
  return text.replace(UNSEEN, '')
}

/** As one line without invisible characters, cut to `max`. */
export function seenLine(text: string, max: number): string {
  return cutText(seenText(text).replace(/\s+/g, ' ').trim(), max)
}

/**
 * Cuts to `max` and marks the cut with `…`, which comes on top; never leaves half a character. Only for text that is
 * already redacted: half a secret is no longer recognised.
 */
export function cutText(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text
}

/** For a terminal: invisible characters are spelled out. CRLF becomes a line feed. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSEEN, (character) => {
    if (JOINERS.has(character)) return character
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
}
