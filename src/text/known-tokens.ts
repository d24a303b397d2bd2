/**
 * The token formats of well-known makers: the only list of them. The exact pattern of one service's token, beyond its
 * prefix, is data of the catalog.
 */

/** After a prefix that also begins ordinary words, a digit must follow somewhere. */
const SOME_DIGIT = '(?=[A-Za-z_-]{0,60}\\d)'

/** A prefix as a regular expression, and the minimum number of characters after it. A match is certainly a token. */
const MAKES: readonly (readonly [prefix: string, tail: number])[] = [
  ['gh[opsur]_', 16],
  ['github_pat_', 16],
  ['gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|soat|imt|agent)-', 16],
  ['ntn_', 16],
  [`secret_${SOME_DIGIT}`, 32],
  ['xox[abeoprs]-', 10],
  ['xapp-', 10],
  ['lin_(?:api|oauth)_', 16],
  ['ATATT', 20],
  ['ya29\\.', 16],
  ['GOCSPX-', 16],
  ['AIza', 30],
  [`sk-(?:ant-|proj-|svcacct-)?${SOME_DIGIT}`, 20],
  ['[rs]k_(?:live|test)_', 10],
  ['sntry[us]_', 16],
  ['BSA', 24],
  ['tvly-', 16],
  ['figd_', 16],
  ['sbp_', 16],
  ['pat-(?:na|eu)\\d-', 16],
  ['pat[A-Za-z0-9]{14}\\.', 32],
  ['mdb_sa_(?:id|sk)_', 16],
  ['SG\\.', 20],
  [`re_${SOME_DIGIT}`, 24],
  ['ctx7sk-?', 16],
  [`fc-${SOME_DIGIT}`, 24],
  ['pplx-', 24],
  ['PMAK-', 20],
  ['(?:AKIA|ASIA)', 16],
  [`hf_${SOME_DIGIT}`, 24],
  [`npm_${SOME_DIGIT}`, 30],
  ['pypi-', 32],
  ['do[opr]_v1_', 32],
  ['shp(?:at|ca|pa|ss)_', 24],
  ['AGE-SECRET-KEY-', 16],
]

/** Wider prefixes of the same makers: enough to hide a run of characters in a record, not to refuse a setting. */
const FAMILIES = ['eyJ', 'gl[a-z]+-', '[rs]k[-_]', 'xox[a-z]-', 'shp[a-z]+_', 'pat-']

const BEFORE = '(?<![A-Za-z0-9])'
const JSON_WEB_TOKEN = '(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*'
const TELEGRAM_BOT = '(?<!\\d)\\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])'
const PRIVATE_KEY = '-----BEGIN [A-Z ]*PRIVATE KEY-----'

const made = MAKES.map(([prefix, tail]) => `${prefix}[A-Za-z0-9_-]{${tail},}`).join('|')

/** The one format with a colon, which the search for runs of characters would split. */
export const BOT_TOKEN: RegExp = new RegExp(TELEGRAM_BOT, 'g')

/** A token of a known maker, anywhere in a text. */
export const KNOWN_TOKEN: RegExp = new RegExp(
  `${BEFORE}(?:${made})|${PRIVATE_KEY}|${JSON_WEB_TOKEN}|${TELEGRAM_BOT}`,
)

const prefixes = MAKES.map(([prefix]) => prefix.replace(SOME_DIGIT, ''))

/** The beginning of a token only: one indication among several that a run of characters is a token. */
export const TOKEN_SIGN: RegExp = new RegExp(`${BEFORE}(?:${[...prefixes, ...FAMILIES].join('|')})`)

const WORD_PREFIXES: ReadonlySet<string> = new Set(
  prefixes.filter((prefix, at) => prefix !== MAKES[at]?.[0]),
)
/** Short prefixes also begin ordinary names, as in `fc-barcelona`. */
const LONGEST_WEAK_PREFIX = 3

/** True if ordinary words begin with this prefix too, so that the rest must look random to be a token. */
export function isWeakPrefix(prefix: string): boolean {
  return prefix.length <= LONGEST_WEAK_PREFIX || WORD_PREFIXES.has(prefix)
}
