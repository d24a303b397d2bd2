/**
 * Counts the values of a JSON text before it is parsed: parsing costs time and memory by the value, up to 70 bytes for
 * each `{}`. Skips strings, so text with many commas counts once. Pure and total: any text gets an answer.
 */

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const OPEN_OBJECT = 0x7b

/** Every comma, list and object counts as one value; an object counts for its first member. */
export function hasMoreValuesThan(text: string, most: number): boolean {
  let values = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === COMMA || code === OPEN_LIST || code === OPEN_OBJECT) values += 1
    if (values > most) return true
  }
  return false
}

/** The index of the closing quote: one with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text[end - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return end
  }
  return text.length
}

const BACKSLASH = 0x5c

/** The same count for a text that arrives in chunks. */
export class ValueCounter {
  #values = 0
  #isInString = false
  #isEscaped = false

  /** The number of values so far. */
  push(chunk: Uint8Array): number {
    for (const byte of chunk) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === QUOTE) this.#isInString = !this.#isInString
      else if (this.#isInString) this.#isEscaped = byte === BACKSLASH
      else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) this.#values += 1
    }
    return this.#values
  }
}
