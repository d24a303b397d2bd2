/** A server's own words on their way to people and callers: without control characters, and never long. */

const MAX_TEXT = 2000
/** What moves a cursor, and what hides text or turns it round. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- these are what must go
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

export function plainText(text: string, max: number = MAX_TEXT): string {
  const plain = text.replace(UNSEEN, '')
  return plain.length > max ? `${plain.slice(0, max).toWellFormed()}…` : plain
}
