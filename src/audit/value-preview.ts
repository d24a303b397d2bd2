/**
 * The first words of a value, for a person who reads the log: redacted leaf by leaf, credentials hidden, control
 * characters escaped, and only then cut. Never shows what stands under a key that names a secret.
 */
import type { Json, JsonObject } from '../kernel/json.ts'
import type { Redactor } from '../kernel/ports.ts'
import { cutText } from './cut-text.ts'
import { HIDDEN, hideInContent } from './hide-credentials.ts'

const MAX_PREVIEW = 80
const MAX_DEPTH = 8
const SECRET_KEY =
  /pass(?:word|wd|phrase|code)|secret|token|api[-_ ]?key|credential|authorization|cookie|private[-_ ]?key/i

type Clean = (raw: string) => string

export function previewOf(value: Json, redactor: Redactor): string {
  const clean: Clean = (raw) => hideInContent(redactor.redact(raw.toWellFormed()))
  let text = ''
  for (const piece of typeof value === 'string' ? [clean(value)] : pieces(value, clean)) {
    text += piece
    if (text.length > MAX_PREVIEW) break
  }
  // Once more over the whole: a lent value may have come as a number.
  return cutText(printable(redactor.redact(text)), MAX_PREVIEW)
}

/** JSON, piece by piece, so that a large value costs little more than what is shown of it. */
function* pieces(value: Json, clean: Clean, depth = 0): Generator<string, void> {
  if (typeof value === 'string') yield JSON.stringify(clean(value))
  else if (typeof value !== 'object' || value === null) yield String(value)
  else if (depth === MAX_DEPTH) yield '…'
  else if (Array.isArray(value)) yield* arrayPieces(value, clean, depth)
  else yield* objectPieces(value as JsonObject, clean, depth)
}

function* arrayPieces(items: readonly Json[], clean: Clean, depth: number): Generator<string> {
  for (const [index, item] of items.entries()) {
    yield index === 0 ? '[' : ','
    yield* pieces(item, clean, depth + 1)
  }
  yield items.length === 0 ? '[]' : ']'
}

function* objectPieces(value: JsonObject, clean: Clean, depth: number): Generator<string> {
  const keys = Object.keys(value)
  for (const [index, key] of keys.entries()) {
    yield `${index === 0 ? '{' : ','}${JSON.stringify(clean(key))}:`
    if (SECRET_KEY.test(key)) yield JSON.stringify(HIDDEN)
    else yield* pieces(value[key] ?? null, clean, depth + 1)
  }
  yield keys.length === 0 ? '{}' : '}'
}

/** Control, invisible and direction-changing characters are spelled out, so that a line shows what it holds. */
function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
