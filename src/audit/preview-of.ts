/**
 * The first words of a value, for a person who reads the log: redacted leaf by leaf, credentials hidden, control
 * characters escaped, and only then cut. Never shows what stands under a key that names a secret.
 */
import type { Json, JsonObject } from '../text/json.ts'
import type { Redactor } from '../kernel/ports.ts'
import { cutText } from '../text/untrusted-text.ts'
import { HIDDEN, hideInContent } from '../text/hide-credentials.ts'
import { remembered } from '../text/remembered.ts'
import { isSecretName } from '../text/secret-name.ts'

/** With the mark of a cut. */
const MAX_PREVIEW = 80
/** Nothing in it needs to be spelled out. */
const PLAIN = /^[ -~]*$/
const MAX_DEPTH = 8

const isHiddenName = remembered((name) => isSecretName(name, 'shown'))

type Clean = (raw: string) => string

export function previewOf(value: Json, redactor: Redactor): string {
  const clean: Clean = (raw) => hideInContent(redactor.redact(raw.toWellFormed()))
  const text = typeof value === 'string' ? clean(value) : showOf(value, clean, 0, 0)
  // Once more over the whole: a lent value may have come as a number.
  return cutText(spellUnseen(redactor.redact(text)), MAX_PREVIEW - 1)
}

/** JSON, as far as it is shown: a large value costs little more than its beginning. `taken` is what stands before it. */
function showOf(value: Json, clean: Clean, taken: number, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(clean(value))
  if (typeof value !== 'object' || value === null) return String(value)
  if (depth === MAX_DEPTH) return '…'
  if (Array.isArray(value)) return showArray(value, clean, taken, depth)
  return showObject(value as JsonObject, clean, taken, depth)
}

function showArray(items: readonly Json[], clean: Clean, taken: number, depth: number): string {
  let text = '['
  for (const item of items) {
    if (text.length > 1) text += ','
    text += showOf(item, clean, taken + text.length, depth + 1)
    if (taken + text.length > MAX_PREVIEW) return text
  }
  return `${text}]`
}

function showObject(value: JsonObject, clean: Clean, taken: number, depth: number): string {
  let text = '{'
  for (const key of Object.keys(value)) {
    text += `${text.length > 1 ? ',' : ''}${JSON.stringify(clean(key))}:`
    if (isHiddenName(key)) text += JSON.stringify(HIDDEN)
    else text += showOf(value[key] ?? null, clean, taken + text.length, depth + 1)
    if (taken + text.length > MAX_PREVIEW) return text
  }
  return `${text}}`
}

/** Control, invisible and direction-changing characters are spelled out, so that a line shows what it holds. */
function spellUnseen(text: string): string {
  if (PLAIN.test(text)) return text
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
