/** How tokens of well-known makers look. A match leaves no doubt, wherever in a text it stands. */

/** After a prefix that could also begin a word: a digit must follow somewhere. */
const SOME_DIGIT = '(?=[A-Za-z_-]{0,60}\\d)'

/** Prefix as a regular expression, and how many characters must follow at least. */
const PREFIXES: readonly (readonly [string, number])[] = [
  ['gh[pousr]_', 16],
  ['github_pat_', 16],
  ['glpat-', 16],
  ['gloas-', 16],
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
  ['do[opr]_v1_', 32],
  ['shp(?:at|ca|pa|ss)_', 24],
]

const tokenShape = ([prefix, length]: readonly [string, number]): RegExp =>
  new RegExp(`(?<![A-Za-z0-9])${prefix}[A-Za-z0-9_-]{${length},}`)

export const KNOWN_TOKENS: readonly RegExp[] = [
  ...PREFIXES.map(tokenShape),
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/, // JSON Web Token
  /(?<!\d)\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/, // Telegram bot
]
