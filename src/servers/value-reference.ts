/**
 * How other programs write "take it from elsewhere" in a value: `$VAR`, `${VAR}`, `${env:VAR}`, `${VAR:-default}`,
 * `${input:id}`. It only reads the notation; nothing is looked up.
 */

export type ForeignValue =
  | { readonly kind: 'plain' }
  /** The variable of the host; `hadDefault` when the notation also gave a value to fall back on. */
  | { readonly kind: 'env'; readonly variable: string; readonly hadDefault: boolean }
  /** A value that the other program asked its user for. */
  | { readonly kind: 'input'; readonly id: string }
  /** References inside a longer text, which only the other program can put together. */
  | { readonly kind: 'mixed' }

const ENV =
  /^(?:\$(?<bare>[A-Z_][A-Z0-9_]*)|\$\{(?:env:)?(?<braced>[A-Za-z_]\w*)(?<fallback>:?-[^}]*)?\}|%(?<percent>[A-Z_][A-Z0-9_]*)%)$/
const INPUT = /^\$\{input:(?<id>[\w.-]+)\}$/
const ANY_REFERENCE = /\$\{[^{}]+\}/

export function readForeignValue(text: string): ForeignValue {
  const id = INPUT.exec(text)?.groups?.['id']
  if (id !== undefined) return { kind: 'input', id }
  const { bare, braced, percent, fallback } = ENV.exec(text)?.groups ?? {}
  const variable = bare ?? braced ?? percent
  if (variable !== undefined) {
    return { kind: 'env', variable, hadDefault: fallback !== undefined }
  }
  return { kind: ANY_REFERENCE.test(text) ? 'mixed' : 'plain' }
}
