/**
 * Recognises the address at which a browser ended after a sign-in, pasted by a person. Only recognises: whether a
 * sign-in waits for it is decided by its `state`.
 */

/** Browsers that hide `http://` in the address bar may also leave it out of what is copied. */
const WITHOUT_SCHEME = /^(?:127\.0\.0\.1|localhost):\d+\//
const LONGEST = 8192
/** Also an address that lost its parameters is one: it must not be taken for a token. */
const PATH = '/oauth/callback'

/** Undefined if the text is something else. */
export function parseCallback(text: string): URL | undefined {
  const trimmed = text.trim()
  if (trimmed.length > LONGEST || /\s/.test(trimmed)) return undefined
  const url = URL.parse(WITHOUT_SCHEME.test(trimmed) ? `http://${trimmed}` : trimmed)
  if (!url) return undefined
  const { searchParams: given, pathname } = url
  const isAnswer = given.has('state') && (given.has('code') || given.has('error'))
  return isAnswer || pathname === PATH ? url : undefined
}
