/**
 * Finds addresses in a text: URLs, host names and IPv4 addresses. Of a bare name the last label decides, since file names
 * have dots too. Linear: every repetition is bounded. Looks nothing up.
 */
import { isPublicSuffix } from './public-suffix.ts'

/**
 * Extensions of files that are top-level names too. A bare `main.rs` is a file; with a scheme, a path or `www`, or with
 * three labels, it is a link.
 */
const EXTENSIONS: ReadonlySet<string> = new Set(
  'ai am app as bz cab cc in la md ml mov mm pl ps pub py rs sc sh so st tf vi zip'.split(' '),
)

export function isHostName(bare: string): boolean {
  const labels = bare.split('.')
  const last = (labels.at(-1) ?? '').toLowerCase()
  return isPublicSuffix(last) && (labels.length > 2 || !EXTENSIONS.has(last))
}

const LABEL = String.raw`[\p{L}\p{N}_-]`
const PLAIN = new RegExp(
  [
    String.raw`\b[a-z][a-z0-9+.-]{0,15}:[\\/]`,
    String.raw`(?<![:\w\\/])[\\/]{2}`,
    String.raw`\bwww\d?\.`,
    String.raw`(?<![\p{L}\p{N}.])(?:\d{1,3}\.){3}\d{1,3}(?![\p{L}\p{N}.])`,
    String.raw`\[[0-9a-f:.]*:[0-9a-f:.]*\]`,
  ].join('|'),
  'iu',
)
const NAME = new RegExp(
  String.raw`(?<!${LABEL})(?:${LABEL}{1,63}\.){1,126}\p{L}[\p{L}\p{N}-]{1,62}(?<path>[/\\:#?]\S)?`,
  'giu',
)
/** Dots that an address parser reads as `.` (UTS 46). */
const DOTS = /[\u3002\uff0e\uff61]/g

export function namesHost(text: string): boolean {
  const plain = text.normalize('NFKC').replace(DOTS, '.')
  if (PLAIN.test(plain)) return true
  for (const { 0: found, groups } of plain.matchAll(NAME)) {
    const { path } = groups ?? {}
    const name = path === undefined ? found : found.slice(0, -path.length)
    const isPublic = isPublicSuffix((name.split('.').at(-1) ?? '').toLowerCase())
    if (path === undefined ? isHostName(name) : isPublic) return true
  }
  return false
}
