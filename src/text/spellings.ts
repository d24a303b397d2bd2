/**
 * The encodings in which a secret is recognised: raw, base64, hex, percent-encoding and JSON text. Works on bytes and
 * fixed tables, so that encoding leaves no copy of the secret in a string.
 */

const SHORTEST_ENCODED = 6
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const BASE64_ALPHABETS = [Buffer.from(`${ALPHANUMERIC}+/`), Buffer.from(`${ALPHANUMERIC}-_`)]

/** The encoded form of each byte value. */
type Table = readonly string[]

const table = (spell: (byte: number, char: string) => string): Table =>
  Array.from({ length: 256 }, (_, byte) => spell(byte, String.fromCharCode(byte)))

const hex = (byte: number): string => byte.toString(16).padStart(2, '0')
const percent = (kept: string, space = '%20'): Table =>
  table((byte, char) => {
    if (char === ' ') return space
    return kept.includes(char) ? char : `%${hex(byte)}`
  })
const json = (slash: string): Table =>
  table((byte, char) => {
    if (char === '/') return slash
    return byte < 128 ? JSON.stringify(char).slice(1, -1) : char
  })

/** Percent-encoders differ in what they leave alone: nothing; RFC 3986; encodeURIComponent; encodeURI; HTML forms. */
const PERCENT: readonly Table[] = [
  percent(''),
  percent(`${ALPHANUMERIC}-._~`),
  percent(`${ALPHANUMERIC}-._~!*'()`),
  percent(`${ALPHANUMERIC}-._~!*'();/?:@&=+$,#`),
  percent(`${ALPHANUMERIC}-._*`, '+'),
]
const inCapitals = (spelling: Table): Table =>
  spelling.map((text) => text.replace(/%../, (escape) => escape.toUpperCase()))

const TABLES: readonly Table[] = [
  table(hex),
  table((byte) => hex(byte).toUpperCase()),
  ...PERCENT,
  ...PERCENT.map(inCapitals),
  json('/'),
  json('\\/'),
]

/** All encodings, some more than once. */
export function spellings(value: Uint8Array): readonly Buffer[] {
  const raw = Buffer.from(value)
  if (value.length < SHORTEST_ENCODED) return [raw]
  return [
    raw,
    ...TABLES.map((spelling) => spell(value, spelling)),
    ...BASE64_ALPHABETS.flatMap((alphabet) => base64Spellings(value, alphabet)),
    ...asciiJsonSpellings(raw),
  ]
}

function spell(value: Uint8Array, spelling: Table): Buffer {
  const texts = Array.from(value, (byte) => spelling[byte] as string)
  const spelled = Buffer.alloc(texts.reduce((length, text) => length + text.length, 0))
  let at = 0
  for (const text of texts) at += spelled.write(text, at, 'latin1')
  return spelled
}

/**
 * The base64 characters that a value produces inside a longer text. They depend on whether the value begins at the
 * first, second or third byte of a group, and on whether the text ends with the value. Up to four bits at either edge
 * share a character with a neighbouring byte, if there is one, and stay visible.
 */
function base64Spellings(value: Uint8Array, alphabet: Buffer): readonly Buffer[] {
  return [0, 1, 2].flatMap((before) => {
    const shifted = Buffer.concat([Buffer.alloc(before), value])
    const encoded = encodeBase64(shifted, alphabet)
    shifted.fill(0)
    const atTheEnd = encoded.subarray(before === 0 ? 0 : before + 1)
    const padding = (4 - (encoded.length % 4)) % 4
    if (padding === 0) return [atTheEnd]
    const inTheMiddle = Buffer.from(atTheEnd.subarray(0, -1))
    return [inTheMiddle, atTheEnd, Buffer.concat([atTheEnd, Buffer.alloc(padding, '=')])]
  })
}

/** Without padding. */
function encodeBase64(value: Uint8Array, alphabet: Buffer): Buffer {
  const encoded = Buffer.alloc(Math.ceil((value.length * 4) / 3))
  for (let at = 0; at < encoded.length; at += 1) {
    const first = Math.floor((at * 6) / 8)
    const pair = ((value[first] ?? 0) << 8) | (value[first + 1] ?? 0)
    encoded[at] = alphabet[(pair >> (10 - ((at * 6) % 8))) & 63] as number
  }
  return encoded
}

/** JSON as written by encoders that keep to ASCII: `ü` becomes `\u00fc`. Only for text with non-ASCII characters. */
function asciiJsonSpellings(raw: Buffer): readonly Buffer[] {
  const text = raw.toString()
  if (raw.every((byte) => byte < 128) || !Buffer.from(text).equals(raw)) return []
  const escaped = JSON.stringify(text).slice(1, -1)
  return [(code: string) => code, (code: string) => code.toUpperCase()].map((letters) =>
    Buffer.from(
      escaped.replace(
        /[\u0080-\uffff]/g,
        (char) => `\\u${letters(char.charCodeAt(0).toString(16).padStart(4, '0'))}`,
      ),
    ),
  )
}
