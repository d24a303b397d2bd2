/**
 * Secrets inside a secret, each of which may travel alone: the tokens in a stored token response, and the password in a
 * database URL.
 */
const NAMES = ['access_token', 'refresh_token', 'id_token', 'client_secret'] as const
const OPENING_BRACE = 0x7b
/** The password ends at the last `@` before the host, since a password may itself contain `@` or `:`. */
const PASSWORD = /^[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/@]*:([^\s/?#]{8,500})@[^\s/?#@]+/i
/** A plain word occurs in too many texts to be hidden. */
const WORD = /^(?:\p{L}+|\d+)$/u

export function tokensWithin(value: Uint8Array): readonly Buffer[] {
  if (value[0] !== OPENING_BRACE) return passwordsIn(value)
  try {
    const answer = JSON.parse(Buffer.from(value).toString()) as Readonly<Record<string, unknown>>
    return NAMES.map((name) => answer[name])
      .filter((token) => typeof token === 'string')
      .map((token) => Buffer.from(token))
  } catch {
    return []
  }
}

/** The password as written, and percent-decoded. */
function passwordsIn(value: Uint8Array): readonly Buffer[] {
  const written = PASSWORD.exec(Buffer.from(value).toString())?.[1]
  if (written === undefined || WORD.test(written)) return []
  return [...new Set([written, decoded(written)])].map((password) => Buffer.from(password))
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}
