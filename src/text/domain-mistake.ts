/**
 * The syntax of one entry of `allowed_domains`: an exact host name, `*.` before at least two labels, or an exact host
 * with a port for protocols other than HTTPS. Never accepts an IP address (except 127.0.0.1 with a port), a scheme, or
 * a name that is displayed differently from its spelling.
 */
import { parseTunnel } from './tunnel.ts'

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const TOP_LABEL = '(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})'
const NAME = new RegExp(`^(?:\\*\\.${LABEL}\\.|(?:${LABEL}\\.)+)(?:${LABEL}\\.)*${TOP_LABEL}$`)

/** The first row that matches gives the message; a text that matches no row must still match `NAME`. */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/^\*$/, 'expected a host name; "*" alone would allow every host'],
  [/:\/\//, 'expected a host name without a scheme, like "api.example.com"'],
  [
    /^[\d.]+$|^\[?[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*\]?$/i,
    'expected a host name, not an IP address',
  ],
  [
    /^[\d.]+:\d+$/,
    'expected the name of the host instead of its address: a sandbox can be led to a name only',
  ],
  [
    /:\d+$/,
    'expected a host name without a port, or one like "db.example.com:5432" with a port above 1023',
  ],
  [/[^\p{ASCII}]/u, 'expected an ASCII host name; write an international name as "xn--…"'],
]

/** The mistake in the text as an allowed domain, or undefined. Upper case is accepted and means lower case. */
export function domainMistake(text: string): string | undefined {
  if (parseTunnel(text)) return undefined
  const found = MISTAKES.find(([shape]) => shape.test(text))
  if (found) return found[1]
  if (text.length <= 255 && NAME.test(text.toLowerCase())) return undefined
  return 'expected a host name like "api.example.com" or "*.example.com"'
}
