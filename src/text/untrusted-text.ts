/**
 * Cleans untrusted text for display. Characters that move a cursor, hide text or reverse it are taken out or spelled
 * out; a text is never obeyed. Redact after taking out, never before: what stood between two halves of a secret is gone
 * then.
 */

/** All control and format characters and odd line ends; tabs and line feeds are ordinary. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** These spell words in some scripts and choose or join pictures in all, and hide nothing by themselves. */
const JOINERS = new Set(['\u200c', '\u200d', '\ufe0e', '\ufe0f'])

/** Drawn as nothing although it is a sign: only in a name does that deceive anybody. */
const BLANK_SIGN = '\u2800'

export function holdsUnseen(text: string): boolean {
  return text.search(UNSEEN) >= 0 || text.includes(BLANK_SIGN)
}

/** Takes out what cannot be seen. */
export function seenText(text: string): string {
  return text.replace(UNSEEN, '')
}

/** The same on one line, cut where it is too long. */
export function seenLine(text: string, max: number): string {
  return cutText(seenText(text).replace(/\s+/g, ' ').trim(), max)
}

/**
 * Marks the cut with `…`, which comes on top of `max`, and leaves no half of a character. Only for text that is already
 * redacted: half a secret is no longer recognised as one.
 */
export function cutText(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text
}

/** For a terminal: what cannot be seen is spelled out. The end of a line is a line feed, however it was written. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSEEN, (character) => {
    if (JOINERS.has(character)) return character
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
}
