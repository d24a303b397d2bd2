/**
 * Takes out of a text whatever is shaped like a credential, whether or not we ever held it. Shape is all it knows,
 * so it errs towards hiding. Every pattern is linear: the text may come from someone who wants us to hang.
 */

export const HIDDEN = '[hidden]'

const PEM = /-----BEGIN [^-]*-----[^]*?(?:-----END [^-]*-----|$)/g
const AUTHORIZATION = /\b(?:[Bb]earer\s[^\s"',]{8,}|Basic\s[\w+/=]{8,})/g
const USER_INFO = /(?<=:\/\/[^\s/@:]*:)[^\s/@]+(?=@)/g
const ASSIGNED =
  /(?<=(?:password|passwd|passphrase|secret|token|api[-_]?key)["']?\s?[:=]\s?)[^\s,]+/gi

/** Without one of these in it, a text matches none of the four above. */
const SIGN = /[:=]|-----|[Bb]earer\s|Basic\s/

/** A stretch without white space or punctuation, long enough to be a token. */
const RUN = /[A-Za-z0-9+/=_.~-]{16,}/g
const PATH = /^[/~.]/
const PREFIX =
  /(?<![A-Za-z0-9])(?:eyJ|gh[opsur]_|github_pat_|gl[a-z]+-|[sr]k[-_]|xox[a-z]-|xapp-|ntn_|secret_|npm_|pypi-|hf_|shp[a-z]+_|dop_v1_|lin_api_|figd_|pat-|ya29\.|SG\.|AIza|AKIA|ASIA|AGE-SECRET-KEY-)/
const DIGEST =
  /^(?:[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|sha(?:256|384|512)-[\w+/]+=*)$/

/** For our own words: SHA-256 sums, integrity strings and UUIDs stay, since records cite them. */
export function hideCredentials(text: string): string {
  return DIGEST.test(text) ? text : hide(text, isUnknownToken)
}

/** For the words of others, where what looks like a digest may be a key. */
export function hideInContent(text: string): string {
  return hide(text, (run) => DIGEST.test(run) || isToken(run))
}

function hide(text: string, isSecret: (run: string) => boolean): string {
  if (text.length < 8) return text
  const marked = SIGN.test(text) ? hideMarked(text) : text
  if (marked.length < 16) return marked
  const hideRun = (run: string) => (isSecret(run) ? HIDDEN : run)
  return marked.replace(RUN, (run) =>
    PATH.test(run) ? run.split('/').map(hideRun).join('/') : hideRun(run),
  )
}

/** Whatever its surroundings give away. */
function hideMarked(text: string): string {
  return text
    .replace(PEM, HIDDEN)
    .replace(AUTHORIZATION, HIDDEN)
    .replace(USER_INFO, HIDDEN)
    .replace(ASSIGNED, HIDDEN)
}

function isUnknownToken(run: string): boolean {
  return !DIGEST.test(run) && isToken(run)
}

function isToken(run: string): boolean {
  return run.length >= 16 && /\d/.test(run) && (PREFIX.test(run) || looksRandom(run))
}

/**
 * Random text changes between small letters, capitals and digits every second or third character; names, paths
 * and identifiers rarely do. A small letter after a capital only continues a word.
 */
function looksRandom(run: string): boolean {
  const changes: number[] = []
  for (let at = 1; at < run.length; at += 1) {
    if (!changesAt(run, at)) continue
    changes.push(at)
    const fifthLast = changes.at(-5)
    if (fifthLast !== undefined && at - fifthLast < 20) return true
  }
  return false
}

function changesAt(run: string, at: number): boolean {
  const before = kindOf(run.charCodeAt(at - 1))
  const kind = kindOf(run.charCodeAt(at))
  if (before === 'other' || kind === 'other' || before === kind) return false
  return !(before === 'capital' && kind === 'small')
}

function kindOf(code: number): 'digit' | 'small' | 'capital' | 'other' {
  if (code >= 48 && code <= 57) return 'digit'
  if (code >= 65 && code <= 90) return 'capital'
  return code >= 97 && code <= 122 ? 'small' : 'other'
}
