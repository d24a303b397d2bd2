/**
 * Whether a name or a sentence announces a secret: the only list of such words. Each use takes as many groups of the
 * list as a wrong guess allows; within a group no word is left out. Pure.
 */

/** Mean a secret in any sentence. */
const PLAIN_WORDS =
  'password passwd passphrase passcode pwd secret credential token otp cvc cvv'.split(' ')
/** Mean a secret as the name of a field; in a sentence they may mean a permission or a biscuit. */
const FIELD_WORDS = 'authorization cookie bearer jwt'.split(' ')
/** Mean a secret as the name of a setting only; a field called `key` or `hash` rarely holds one. */
const SETTING_WORDS = 'pass pat key dsn hash signature private authentication'.split(' ')
const PHRASES =
  '(?:api|access|private|secret|security)[-_ ]?(?:key|code)|(?:one[-_ ]?time|verification|login)[-_ ]?code|card[-_ ]?number'

/** So short that they occur inside other words by chance. */
const SHORT_WORDS: ReadonlySet<string> = new Set(['otp', 'cvc', 'cvv', 'jwt'])

/** No plural of `token`: `tokens` is usually a length of text. */
const words = (list: readonly string[]): readonly string[] =>
  list.flatMap((word) => (word === 'token' ? [word] : [word, `${word}s`]))

const IN_FIELD: ReadonlySet<string> = new Set(words([...PLAIN_WORDS, ...FIELD_WORDS]))
const IN_SETTING: ReadonlySet<string> = new Set([...IN_FIELD, ...SETTING_WORDS])
const PHRASE = new RegExp(`(?<![a-z0-9])(?:${PHRASES})s?(?![a-z0-9])`, 'i')
/** Also recognised inside another word: `accesstoken`, but not `hotpink`. */
const INNER_WORDS = [...PLAIN_WORDS, ...FIELD_WORDS].filter((word) => !SHORT_WORDS.has(word))
const WITHIN = new RegExp([...INNER_WORDS, PHRASES].join('|'), 'i')
const IN_SENTENCE = new RegExp(
  `(?<![a-z0-9])(?:${[...words(PLAIN_WORDS), `(?:${PHRASES})s?`].join('|')})(?![a-z0-9])`,
  'i',
)
/** Only in capitals: a `pin` may hold a note to a board. */
const PIN = /\bPIN\b/

/** A regular expression, any case, for such a name before its value: `password=x`, `"api_key": "x"`. */
export const NAME_IN_TEXT: string = `(?:${[...INNER_WORDS, PHRASES].join('|')}|(?<![a-z])(?:${[...SHORT_WORDS].join('|')}))["']?`

/** A name with such an ending describes a secret (its place, its lifetime) without being one. */
const DESCRIBING_WORDS: ReadonlySet<string> = new Set(
  'file path dir folder url uri host port endpoint timeout ttl limit type mode env enabled length size count algorithm'.split(
    ' ',
  ),
)
/** Excuse a name only without a value. With a value, `KEY_ID` and `TOKEN_NAME` are judged by it. */
const DESCRIBING_UNSEEN: ReadonlySet<string> = new Set(
  'strategy required permission expiration name header id window capacity username user'.split(' '),
)

/**
 * - `declared`: a setting whose value is not known yet.
 * - `given`: a setting with a value, which is judged as well.
 * - `shown`: a field that is logged or previewed; no ending of the name excuses it.
 */
export type NameUse = 'declared' | 'given' | 'shown'

export function isSecretName(name: string, use: NameUse): boolean {
  const parts = nameWords(name)
  if (use === 'shown') return WITHIN.test(name) || parts.some((word) => IN_FIELD.has(word))
  const last = parts.at(-1) ?? ''
  if (DESCRIBING_WORDS.has(last) || (use === 'declared' && DESCRIBING_UNSEEN.has(last)))
    return false
  return parts.some((word) => IN_SETTING.has(word)) || PHRASE.test(parts.join(' '))
}

/** Whether a sentence asks for a secret, in words that mean little else. */
export function asksForSecret(sentence: string): boolean {
  return IN_SENTENCE.test(sentence) || PIN.test(sentence)
}

/** Whether a bare number may be the secret, as it may for a password. */
export function namesPassword(name: string): boolean {
  return nameWords(name).some((word) => /^(?:pass|pwd|pat$|secret|otp|cvc|cvv)/.test(word))
}

/** Splits `NOTION_TOKEN`, `x-api-key` and `tavilyApiKey` into lower-case words. */
export function nameWords(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}
