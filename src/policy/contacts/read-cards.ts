/**
 * Reads vCards (RFC 6350, and the older 2.1 and 3.0 that telephones write): names, mail addresses and telephone numbers.
 * Everything else is left out. A card that cannot be read is reported, and loses no other.
 */
import type { Contact } from '../../ports/contact-port.ts'

export interface ReadCards {
  readonly contacts: readonly Contact[]
  readonly unreadable: number
}

const MOST_CARDS = 10_000

export function readCards(text: string): ReadCards {
  const contacts: Contact[] = []
  let unreadable = 0
  let card: string[] | undefined
  for (const line of unfolded(text)) {
    const word = line.trim().toUpperCase()
    if (word === 'BEGIN:VCARD') {
      if (card) unreadable += 1
      card = []
    } else if (word === 'END:VCARD') {
      const contact = card && contactOf(card)
      if (contact && contacts.length < MOST_CARDS) contacts.push(contact)
      else unreadable += 1
      card = undefined
    } else card?.push(line)
  }
  return { contacts, unreadable: unreadable + (card ? 1 : 0) }
}

/** A line that begins with white space continues the line before it. */
function unfolded(text: string): readonly string[] {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]/g, '')
    .split('\n')
}

function contactOf(lines: readonly string[]): Contact | undefined {
  let full = ''
  let structured = ''
  const addresses: string[] = []
  for (const line of lines) {
    const { property, value } = propertyOf(line)
    if (property === 'FN') full ||= value
    if (property === 'N') structured ||= value.split(';').slice(0, 2).reverse().join(' ')
    if (property === 'EMAIL') addresses.push(value.replace(/^mailto:/i, ''))
    if (property === 'TEL') addresses.push(value.replace(/^tel:/i, ''))
  }
  const name = (full || structured).trim().replace(/\s+/g, ' ')
  return name === '' ? undefined : { name, addresses: addresses.filter((one) => one !== '') }
}

/** `item1.EMAIL;TYPE=home:ada@example.com`: group and parameters do not matter here, but for the encoding of 2.1. */
function propertyOf(line: string): { readonly property: string; readonly value: string } {
  const colon = colonIn(line)
  const [head = '', ...parameters] = line.slice(0, colon).split(';')
  const property = (head.split('.').at(-1) ?? '').trim().toUpperCase()
  const raw = colon < 0 ? '' : line.slice(colon + 1).trim()
  const isQuoted = parameters.some((one) => /QUOTED-PRINTABLE/i.test(one))
  return { property, value: unescaped(isQuoted ? quotedPrintable(raw) : raw) }
}

/** The first colon outside quotation marks. */
function colonIn(line: string): number {
  let isQuoted = false
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '"') isQuoted = !isQuoted
    if (line[at] === ':' && !isQuoted) return at
  }
  return -1
}

function quotedPrintable(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

function unescaped(value: string): string {
  return value.replace(/\\([\\,;nN])/g, (_all, letter: string) =>
    letter.toLowerCase() === 'n' ? ' ' : letter,
  )
}
