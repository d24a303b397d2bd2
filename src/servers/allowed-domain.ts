/**
 * What may stand in `allowed_domains`: an exact host name, or `*.` before at least two labels.
 * It never accepts an address, a scheme, a port or a name that reads differently than it is written.
 */

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const TOP_LABEL = '(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})'
const NAME = new RegExp(`^(?:\\*\\.${LABEL}\\.|(?:${LABEL}\\.)+)(?:${LABEL}\\.)*${TOP_LABEL}$`)

/** The first row that matches says what is wrong; what passes them all must still look like a name. */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/^\*$/, 'expected a host name; "*" alone would allow every host'],
  [/:\/\//, 'expected a host name without a scheme, like "api.example.com"'],
  [
    /^[\d.]+$|^\[?[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*\]?$/i,
    'expected a host name, not an IP address',
  ],
  [/:\d+$/, 'expected a host name without a port, like "api.example.com"'],
  [/[^\p{ASCII}]/u, 'expected an ASCII host name; write an international name as "xn--…"'],
]

/** What is wrong with the text as an allowed domain, or undefined. Upper case is accepted and means lower case. */
export function domainMistake(text: string): string | undefined {
  const found = MISTAKES.find(([shape]) => shape.test(text))
  if (found) return found[1]
  if (text.length <= 255 && NAME.test(text.toLowerCase())) return undefined
  return 'expected a host name like "api.example.com" or "*.example.com"'
}
