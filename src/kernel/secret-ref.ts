/**
 * A secret is written down only as a reference: `vault:notion_token`, `env:GITHUB_TOKEN`, `file:/path`, `oauth:github`.
 * This file reads references; the vault alone resolves them.
 */
import { CordonError } from './error.ts'

export type SecretScheme = 'vault' | 'env' | 'file' | 'oauth'

export interface SecretRef {
  readonly scheme: SecretScheme
  readonly name: string
}

/** Names that the vault accepts: no white space, no control characters, and safe to print. */
export const SECRET_NAME: RegExp = /^[A-Za-z0-9](?:[A-Za-z0-9._/@-]{0,126}[A-Za-z0-9])?$/

const SHAPES: Readonly<Record<SecretScheme, RegExp>> = {
  vault: SECRET_NAME,
  env: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  // oxlint-disable-next-line no-control-regex -- a path may hold anything but control characters
  file: /^(?:\/|~\/)[^\u0000-\u001f\u007f]{1,4095}$/,
  oauth: SECRET_NAME,
}

export function parseSecretRef(input: unknown): SecretRef {
  if (typeof input === 'string') {
    const colon = input.indexOf(':')
    const scheme = input.slice(0, colon)
    const name = input.slice(colon + 1)
    if (isScheme(scheme) && SHAPES[scheme].test(name)) return { scheme, name }
  }
  // The input is not repeated: a malformed reference is often the secret itself.
  throw new CordonError(
    'kernel.secret-ref',
    {
      exit: 2,
      hint: 'Write `vault:NAME`, `env:VARIABLE`, `file:/absolute/path` or `oauth:NAME`, and store the value with `cordon vault set NAME`',
    },
    'Cannot read a secret reference',
  )
}

export function isSecretRef(input: unknown): boolean {
  try {
    parseSecretRef(input)
    return true
  } catch {
    return false
  }
}

export function showSecretRef(ref: SecretRef): string {
  return `${ref.scheme}:${ref.name}`
}

function isScheme(text: string): text is SecretScheme {
  return Object.hasOwn(SHAPES, text)
}
