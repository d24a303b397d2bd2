/** Tells account, card and telephone numbers from other numbers: dates, order numbers and versions stay. Pure. */

/** A bank account number has many digits; a few words of four letters, which look alike, have none. */
const FEWEST_ACCOUNT_DIGITS = 8

export function isAccount(text: string): boolean {
  return digitsOf(text).length >= FEWEST_ACCOUNT_DIGITS
}

/** The ranges that issuers of cards use (ISO/IEC 7812), with their lengths. */
const CARDS: readonly RegExp[] = [
  /^4(?:\d{12}|\d{15}|\d{18})$/,
  /^(?:5[1-5]|2[2-7])\d{14}$/,
  /^3[47]\d{13}$/,
  /^3(?:0[0-5]|[68]\d)\d{11}$/,
  /^35\d{14}$/,
  /^6(?:011|4[4-9]\d|5\d\d)\d{12}$/,
  /^62\d{14,17}$/,
  /^5[06-9]\d{14}$/,
]

export function isCard(text: string): boolean {
  const digits = digitsOf(text)
  return CARDS.some((range) => range.test(digits)) && hasLuhnDigit(digits)
}

/** The check digit of ISO/IEC 7812-1, annex B. */
function hasLuhnDigit(digits: string): boolean {
  let sum = 0
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = digit * 2 > 9 ? digit * 2 - 9 : digit * 2
    sum += at % 2 === 1 ? doubled : digit
  }
  return sum % 10 === 0
}

const DATE =
  /^\D*(?:\d{4}([ /.-])\d{1,2}\1\d{1,2}(?!\d)|\d{1,2}([ /.-])\d{1,2}\2(?:(?:19|20)\d{2}(?!\d)|\d{2}(?!\d|[ -]\d{2}[ -])))/
/** Written before a number that names something else. */
const OTHER_NUMBER =
  /\b(?:order|invoice|ticket|ref|reference|case|sku|item|serial|tracking|version|build|id|isbn)[\s:.#no]{0,8}$/i
const LONGEST_WORD = 24

/** Numbers abroad have at most 15 digits (E.164). */
export function isTelephone(plain: string, at: number, text: string): boolean {
  if (text.startsWith('+')) return true
  const isOther = OTHER_NUMBER.test(plain.slice(Math.max(0, at - LONGEST_WORD), at))
  if (isOther || text.startsWith('00')) return !isOther
  const { length } = digitsOf(text)
  if (length < 6 || length > 15 || DATE.test(text)) return false
  const isAfterWord = !/^[(0]/.test(text) && !/^[2-9]\d\d[.-]/.test(text)
  return isAfterWord || length >= 9
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '')
}
