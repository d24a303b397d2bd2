/**
 * Replaces every part of a text that has the shape of a credential, whether or not Cordon ever held it. Only the shape
 * is known, so doubtful parts are hidden. Every pattern is linear in time: the text may be written to make a regular
 * expression hang.
 */
import { BOT_TOKEN, KNOWN_TOKEN, TOKEN_SIGN } from './known-tokens.ts'
import { changesLikeRandom } from './random-text.ts'
import { NAME_IN_TEXT } from './secret-name.ts'

export const HIDDEN = '[hidden]'

const PEM = /-----BEGIN [^-]*-----[^]*?(?:-----END [^-]*-----|$)/g
const AUTHORIZATION = /\b(?:[Bb]earer\s[^\s"',]{8,}|Basic\s[\w+/=]{8,})/g
const USER_INFO = /(?<=:\/\/[^\s/@:]*:)[^\s/@]+(?=@)/g
const ASSIGNED = new RegExp(`(?<=${NAME_IN_TEXT}\\s?[:=]\\s?)[^\\s,]+`, 'gi')

/** A text without any of these holds no credential that its context gives away (a header, a URL, an assignment). */
const SIGN = /[:=]|-----|[Bb]earer\s|Basic\s/

/** Characters without white space or punctuation, at least as long as the shortest token of a known maker. */
const RUN = /[A-Za-z0-9+/=_.~-]{15,}/g
const PATH = /^[/~.]/
const DIGEST =
  /^(?:[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|sha(?:256|384|512)-[\w+/]+=*)$/

/** For text that Cordon wrote: SHA-256 sums, integrity strings and UUIDs stay, since records cite them. */
export function hideCredentials(text: string): string {
  return DIGEST.test(text) ? text : hide(text, isUnknownToken)
}

/** For untrusted text, in which even a digest may be a key. */
export function hideInContent(text: string): string {
  return hide(text, (run) => DIGEST.test(run) || isToken(run))
}

function hide(text: string, isSecret: (run: string) => boolean): string {
  if (text.length < 8) return text
  const marked = SIGN.test(text) ? hideMarked(text) : text
  if (marked.length < 15) return marked
  const hideRun = (run: string) => (isSecret(run) ? HIDDEN : run)
  return marked.replace(RUN, (run) =>
    PATH.test(run) ? run.split('/').map(hideRun).join('/') : hideRun(run),
  )
}

/** Hides the values that their context marks as credentials. */
function hideMarked(text: string): string {
  return text
    .replace(PEM, HIDDEN)
    .replace(BOT_TOKEN, HIDDEN)
    .replace(AUTHORIZATION, HIDDEN)
    .replace(USER_INFO, HIDDEN)
    .replace(ASSIGNED, HIDDEN)
}

function isUnknownToken(run: string): boolean {
  return !DIGEST.test(run) && isToken(run)
}

function isToken(run: string): boolean {
  const isSigned = TOKEN_SIGN.test(run)
  if (isSigned && KNOWN_TOKEN.test(run)) return true
  return run.length >= 16 && /\d/.test(run) && (isSigned || changesLikeRandom(run))
}
