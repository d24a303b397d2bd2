/**
 * Recognises the placeholders of other programs in a value: `$VAR`, `${VAR}`, `${env:VAR}`, `${VAR:-default}`,
 * `${input:id}`. Parses only the notation; resolves nothing.
 */

export type ForeignValue =
  | { readonly kind: 'plain' }
  /** An environment variable of the host; `hadDefault` if the placeholder also has a default value. */
  | { readonly kind: 'env'; readonly variable: string; readonly hadDefault: boolean }
  /** A value that the other program asks its user for. */
  | { readonly kind: 'input'; readonly id: string }
  /** Placeholders inside a longer text, which only the other program can substitute. */
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
