/**
 * Guesses from its name and its shape whether a value is a secret. When in doubt the answer is yes: a setting in the
 * vault is a nuisance, a token in a plain file is a leak. Pure.
 */
import { KNOWN_TOKEN } from './known-tokens.ts'
import { holdsRandomRun, type RunUse } from './random-text.ts'
import { isSecretName, NAME_IN_TEXT, namesPassword, nameWords } from './secret-name.ts'

/** A name that ends in one of these words may hold a random value that is no secret. */
const IDENTIFYING_WORDS: ReadonlySet<string> = new Set(
  'id ids uuid ref sha digest checksum version image'.split(' '),
)

/** A secret inside a longer text: `Bearer x`, `password=x`, `{"api_key":"x"}`. */
const SPELLED_OUT = new RegExp(
  `\\b(?:bearer|basic|token)\\s+[\\w.~+/=-]{8,}|${NAME_IN_TEXT}\\s*[:=]\\s*["']?[^\\s"';,&$]{4,}`,
  'i',
)

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i
/** Random but public: digests of images and packages, commit hashes. */
const DIGEST = /\bsha(?:256|384|512)[:-][A-Za-z0-9+/=]+|(?<=\w[#@])[0-9a-f]{40}\b/g
const SETTING = /^(?:true|false|yes|no|on|off|none|null|-?\d{1,6}(?:\.\d+)?)$/i
const NUMBER = /^-?\d+(?:\.\d+)?$/
/** `${VAR}`, `${input:x}`, `${vault:x}`, `$VAR`: a reference to a value, not a value. */
const REFERENCE = /^(?:\$\{(?:\w+:)?[\w./@][\w./@-]*\}|\$[A-Z_][A-Z0-9_]*)$/
const PATH = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])[^+=]*$/

/** Longer than any setting: such a text counts as secret unread. */
const MAX_LOOKED_AT = 64 * 1024

/** Holds a token of a known maker, or a URL with a password: certainly a secret. */
export function holdsKnownToken(text: string): boolean {
  return KNOWN_TOKEN.test(text) || urlPasswords(text).some((password) => !password.startsWith('${'))
}

/**
 * Judges a setting that exists already, in a file or on a command line. Obvious settings (paths, hosts, numbers, plain
 * URLs, references) are not secret. `name` is the variable, header, flag or query key; empty if there is none.
 */
export function looksSecret(name: string, value: string): boolean {
  if (value.length > MAX_LOOKED_AT) return true
  if (value.trim() === '' || REFERENCE.test(value)) return false
  if (holdsKnownToken(value) || SPELLED_OUT.test(value)) return true
  return isSecretName(name, 'given') ? isNoSetting(name, value) : isRandomSetting(name, value)
}

/** Judges a value, or a part of a URL, that comes from somebody other than the owner: no name makes it harmless. */
export function isSecretValue(value: string, use: RunUse = 'setting'): boolean {
  if (KNOWN_TOKEN.test(value) || SPELLED_OUT.test(value) || /\bbearer\s+\S{8}/i.test(value))
    return true
  return urlPasswords(value).length > 0 || UUID.test(value) || holdsRandomRun(value, use)
}

/** Under a name that announces a secret, every value counts as secret unless it cannot be one. */
function isNoSetting(name: string, value: string): boolean {
  if (isPlainAddress(value) || (PATH.test(value) && !looksRandom(value))) return false
  // A short number may be a setting, but not where a password is expected.
  return !SETTING.test(value) || (namesPassword(name) && NUMBER.test(value))
}

/** Under any other name, only a random value counts as secret. */
function isRandomSetting(name: string, value: string): boolean {
  if (isPlainAddress(value) || PATH.test(value) || NUMBER.test(value)) return false
  return !IDENTIFYING_WORDS.has(nameWords(name).at(-1) ?? '') && looksRandom(value)
}

/** `scheme://user:password@host`. The text is split first: one pattern for both ends takes quadratic time. */
function urlPasswords(text: string): readonly string[] {
  const logins = text.split('://').slice(1)
  return logins.flatMap((rest) => /^[^\s/?#@:]*:([^\s/?#@]+)@/.exec(rest)?.[1] ?? [])
}

function isPlainAddress(value: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || !URL.canParse(value)) return false
  const url = new URL(value)
  const query = [...url.searchParams]
  return !looksRandom(url.pathname) && !query.some(([key, text]) => looksSecret(key, text))
}

function looksRandom(value: string): boolean {
  const rest = value.replace(DIGEST, '')
  return UUID.test(rest) || holdsRandomRun(rest)
}
