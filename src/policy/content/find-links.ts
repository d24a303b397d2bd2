/**
 * Finds what a reader or a program could follow, call or pay in a folded text: web and mail addresses in every
 * spelling, bare host names, account, card and telephone numbers, crypto addresses. Linear: every repetition that can
 * fail is bounded. Decides nothing and changes nothing.
 */
import { isHostName } from '../../text/host-name.ts'
import { isAccount, isCard, isTelephone } from './is-account.ts'

export interface FoundLink {
  readonly start: number
  readonly end: number
  readonly kind: 'link' | 'account' | 'telephone'
}

/** The rest of an address, without the punctuation after it. */
const REST = String.raw`[^\s<>"']*[^\s<>"'.,;:!?)\]]`
const LABEL = String.raw`[\p{L}\p{N}_-]`
/** At most 127 labels fit into a host name (RFC 1035); fewer would let a longer name through. */
const NAME = String.raw`(?:${LABEL}{1,63}\.){1,126}\p{L}[\p{L}\p{N}-]{1,62}`
/** Not in the middle of a name; a dot or an @ before the name does not hide it. */
const BEGIN = String.raw`(?<!${LABEL})(?<!${LABEL}\.)`
const SCHEMES = 'https?|ftp|javascript|vbscript|data|blob|file|mailto|tel|sms|callto|facetime|skype'

const ADDRESS = [
  // a scheme with a slash of either kind, or one that needs none; not one that was disarmed before
  String.raw`\b(?!hxxps?:|fxp:)[a-z][a-z0-9+.-]{0,15}:[\\/]${REST}`,
  String.raw`\b(?:${SCHEMES}):${REST}`,
  // no scheme: two slashes, between which an address parser drops tabs and line ends, and any spelling of a host
  String.raw`(?<![:\w\\/])[\\/](?:[\t\r\n]{0,4}[\\/]){1,8}` +
    String.raw`(?=[^\s\\/<>"']{0,255}[.\u3002:@%\]]|\d{3,10}(?![\p{L}\p{N}])|0x[0-9a-f])${REST}`,
  String.raw`\bwww\d?[.\u3002]${REST}`,
  String.raw`[\w.+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,4}`,
  // a host name or an IPv4 address with a path, query or port; a block of addresses (10.0.0.0/8) is no link
  String.raw`${BEGIN}${NAME}(?=[/\\#]|\?[^\s]|:\d)${REST}`,
  String.raw`(?<![\p{L}\p{N}.])(?:\d{1,3}\.){3}\d{1,3}(?=[/?#:][^\s])(?!/\d{1,2}(?![\w./]))${REST}`,
].join('|')
/** Whether such a name is one depends on its last label. */
const BARE = String.raw`${BEGIN}${NAME}(?!${LABEL})`

const IBAN = String.raw`\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?\b`
const ABROAD = String.raw`(?:\+|\b00)\d[\d ().-]{7,18}\d`
const DIGITS = String.raw`(?<![\p{L}\p{N}.,-])\d(?:[ -]?\d){12,18}(?![\p{L}\p{N}])`
const EDGE = String.raw`(?<![\p{L}\p{N}.,:/+-])`
const PHONE_WORD = 'tel|phone|telephone|telefon|mobile|mobil|handy|cell|fax|whatsapp|signal|call'
const NATIONAL = [
  // with a trunk prefix: 030 1234567, 0171/2345678, 020 7946 0958
  String.raw`${EDGE}\(?0[1-9]\d{0,3}\)?[ /-]\d{2,8}(?:[ -]\d{2,6}){0,4}(?![\p{L}\p{N}])`,
  // North America: (212) 555-0123, 212-555-0123
  String.raw`${EDGE}(?:\([2-9]\d\d\) ?|[2-9]\d\d[.-])[2-9]\d\d[ .-]\d{4}(?![\p{L}\p{N}-])`,
  // after a word that says so
  String.raw`(?=\d)(?<=\b(?:${PHONE_WORD})\b[\s:.#()a-z]{0,20})\d[\d ()./-]{4,18}\d`,
].join('|')
const BASE58 = '[1-9A-HJ-NP-Za-km-z]'
const COIN = [
  String.raw`\b0x[0-9a-f]{40}\b`,
  String.raw`\b(?:bc1|tb1|ltc1)[ac-hj-np-z02-9]{11,71}\b`,
  String.raw`\b(?:[13]${BASE58}{25,33}|T${BASE58}{33}|4${BASE58}{94})\b`,
].join('|')

const NUMBERS = `(?<account>${IBAN})|(?<coin>${COIN})|(?<telephone>${ABROAD}|${NATIONAL})|(?<digits>${DIGITS})`
const NAMES = `(?<address>${ADDRESS})|(?<bare>${BARE})`
const EITHER = new RegExp(`${NUMBERS}|${NAMES}`, 'giu')
const ONLY_NUMBERS = new RegExp(NUMBERS, 'giu')
const ONLY_NAMES = new RegExp(NAMES, 'giu')
/** Every address has such a place. Plain sentences have none, and are spared the long search. */
const NAME_PLACE = /[.\u3002:@\\/]\S|[\\/]\s/

export function findLinks(plain: string): readonly FoundLink[] {
  const hasName = NAME_PLACE.test(plain)
  const hasNumber = /\d/.test(plain)
  if (!hasName && !hasNumber) return []
  const search = hasName && hasNumber ? EITHER : hasName ? ONLY_NAMES : ONLY_NUMBERS
  const found: FoundLink[] = []
  for (const match of plain.matchAll(search)) {
    const kind = kindOf(plain, match)
    const { index: start } = match
    if (kind) found.push({ start, end: start + match[0].length, kind })
  }
  return found
}

type Groups = Readonly<Record<string, string | undefined>>

function kindOf(plain: string, match: RegExpExecArray): FoundLink['kind'] | undefined {
  const { telephone, address, bare } = match.groups as Groups
  if (address !== undefined) return 'link'
  if (bare !== undefined) return isHostName(bare) ? 'link' : undefined
  if (telephone === undefined) return isPayable(match.groups as Groups) ? 'account' : undefined
  return isTelephone(plain, match.index, telephone) ? 'telephone' : undefined
}

function isPayable({ account, coin, digits = '' }: Groups): boolean {
  if (account !== undefined) return isAccount(account)
  return coin === undefined ? isCard(digits) : isCoin(coin)
}

/** Base 58 has no 0, O, I and l; and a long word of one case is no address. */
function isCoin(text: string): boolean {
  if (/^(?:0x|bc1|tb1|ltc1)/i.test(text)) return true
  return !/[0OIl]/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text)
}
