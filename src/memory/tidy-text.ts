/** A text as memory keeps it: without invisible characters, without credentials, cut to a length. */
import { HIDDEN, hideInContent } from '../text/hide-credentials.ts'
import { NAME_IN_TEXT } from '../text/secret-name.ts'
import { cutText, seenText } from '../text/untrusted-text.ts'

/** `my password is hunter2`: in a sentence, a verb takes the place of `=`. */
const SAID = new RegExp(`(?<=(?:${NAME_IN_TEXT}|\\bpin(?: code)?)\\s(?:is|was)\\s)\\S+`, 'gi')

/** Redacted after invisible characters are gone and before the text is cut: either would hide a secret. */
export function tidyText(
  text: string,
  max: number,
  redactor: { redact(text: string): string },
): string {
  return cutText(hideSpoken(redactor.redact(seenText(text))), max)
}

/** Hides credentials by their shape, and by the words before them. */
export function hideSpoken(text: string): string {
  return hideInContent(text).replace(SAID, HIDDEN)
}
