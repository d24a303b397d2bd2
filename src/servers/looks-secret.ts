/**
 * Whether a value is a secret, judged by its name and its shape. When in doubt it says yes: a setting in the vault
 * is a nuisance, a token in a plain file is a leak. Obvious settings (paths, hosts, numbers, plain addresses) are no.
 */
import { KNOWN_TOKENS } from './known-tokens.ts'

/** Words in a variable's, header's or flag's name that announce a secret. */
const SECRET_WORDS = new Set(
  'token secret password passwd pwd pass passphrase pat key apikey credential credentials authorization bearer cookie dsn jwt hash signature private'.split(
    ' ',
  ),
)

/** A name that ends so describes the secret (where it is, how long it lives) rather than being it. */
const DESCRIBING_WORDS = new Set(
  'file path dir folder url uri host port endpoint timeout ttl limit type mode env enabled length size count algorithm'.split(
    ' ',
  ),
)

/** A name that ends so may hold something random that is no secret. */
const IDENTIFYING_WORDS = new Set('id ids uuid ref sha digest checksum version image'.split(' '))

/** A secret inside a longer text: `Bearer x`, `password=x`, `{"api_key":"x"}`. */
const SPELLED_OUT =
  /\b(?:bearer|basic|token)\s+[\w.~+/=-]{8,}|(?:password|passwd|pwd|secret|token|api[_-]?key|private[_-]?key|access[_-]?key)["']?\s*[:=]\s*["']?[^\s"';,&$]{4,}/i

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i
/** Random by nature and public by purpose: digests of images and packages, commits. */
const DIGEST = /\bsha(?:256|384|512)[:-][A-Za-z0-9+/=]+|(?<=\w[#@])[0-9a-f]{40}\b/g
const SETTING = /^(?:true|false|yes|no|on|off|none|null|-?\d{1,6}(?:\.\d+)?)$/i
const NUMBER = /^-?\d+(?:\.\d+)?$/
/** `${VAR}`, `${input:x}`, `${vault:x}`, `$VAR`: says where the value is, and is none. */
const REFERENCE = /^(?:\$\{(?:\w+:)?[\w./@][\w./@-]*\}|\$[A-Z_][A-Z0-9_]*)$/
const PATH = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])[^+=]*$/

/** No setting is this long; such a text is not even looked at. */
const MAX_LOOKED_AT = 64 * 1024

/** A token whose make is known, or an address with a password: no doubt is left. */
export function holdsKnownToken(text: string): boolean {
  return KNOWN_TOKENS.some((shape) => shape.test(text)) || holdsUrlPassword(text)
}

/** `name` is the variable, header, flag or query key; empty where the value has none. */
export function looksSecret(name: string, value: string): boolean {
  if (value.length > MAX_LOOKED_AT) return true
  if (value.trim() === '' || REFERENCE.test(value)) return false
  if (holdsKnownToken(value) || SPELLED_OUT.test(value)) return true
  const words = wordsOf(name)
  return isSecretName(words) ? isNoSetting(words, value) : isRandomSetting(words, value)
}

function isSecretName(words: readonly string[]): boolean {
  return !DESCRIBING_WORDS.has(words.at(-1) ?? '') && words.some((word) => SECRET_WORDS.has(word))
}

/** Under a name that announces a secret, all is secret but what cannot be one. */
function isNoSetting(words: readonly string[], value: string): boolean {
  if (isPlainAddress(value) || (PATH.test(value) && !looksRandom(value))) return false
  // A short number may be a setting, but not where a password is expected.
  const isPassword = words.some((word) => /^(?:pass|pwd|pat$|secret)/.test(word))
  return !SETTING.test(value) || (isPassword && NUMBER.test(value))
}

/** Under any other name, only what is random is secret. */
function isRandomSetting(words: readonly string[], value: string): boolean {
  if (isPlainAddress(value) || PATH.test(value) || NUMBER.test(value)) return false
  return !IDENTIFYING_WORDS.has(words.at(-1) ?? '') && looksRandom(value)
}

/** `GITHUB_TOKEN`, `x-api-key` and `tavilyApiKey` alike. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

/** `scheme://user:password@host`; a reference in the password's place is none. */
function holdsUrlPassword(text: string): boolean {
  const logins = text.split('://').slice(1)
  return logins.some((rest) => /^[^\s/?#@:]*:(?!\$\{)[^\s/?#@]+@/.test(rest))
}

function isPlainAddress(value: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || !URL.canParse(value)) return false
  const url = new URL(value)
  const query = [...url.searchParams]
  return !looksRandom(url.pathname) && !query.some(([key, text]) => looksSecret(key, text))
}

/** One long run of letters and digits mixed as no person would; words joined by dashes are not. */
function looksRandom(value: string): boolean {
  const rest = value.replace(DIGEST, '')
  return UUID.test(rest) || rest.split(/[^A-Za-z0-9+=]+/).some(isRandomRun)
}

function isRandomRun(run: string): boolean {
  if (run.length < 16 || !/\d/.test(run) || !/[A-Za-z]/.test(run)) return false
  return new Set(run).size >= 8
}
