/**
 * Whether a name announces a secret, and whether a value is one. Of what a registry or a pasted line leaves unmarked,
 * too much goes to the vault rather than too little. Pure.
 */

const SECRET_WORDS = new Set(
  'token secret password passwd pwd pass passphrase pat key apikey credential credentials authorization authentication bearer cookie dsn jwt private'.split(
    ' ',
  ),
)

/** A name that ends so says something about a secret: where it is, how long it lives. */
const DESCRIBING_WORDS = new Set(
  'file path dir folder url uri host port endpoint timeout ttl limit type mode strategy env enabled required length size count algorithm permission expiration name header id window capacity username user'.split(
    ' ',
  ),
)

export function isSecretName(name: string): boolean {
  const words = wordsOf(name)
  return !DESCRIBING_WORDS.has(words.at(-1) ?? '') && words.some((word) => SECRET_WORDS.has(word))
}

/** A login in an address, `Bearer …`, or one long run of letters and digits mixed as no person would. */
export function isSecretValue(value: string): boolean {
  if (/:\/\/[^\s/?#@:]*:[^\s/?#@]+@/.test(value) || /\bbearer\s+\S{8}/i.test(value)) return true
  return value.split(/[^A-Za-z0-9+=]+/).some(isRandomRun)
}

/** `NOTION_TOKEN`, `x-api-key` and `tavilyApiKey` alike. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

function isRandomRun(run: string): boolean {
  if (run.length < 20 || !/\d/.test(run) || !/[A-Za-z]/.test(run)) return false
  return new Set(run).size >= 8
}
