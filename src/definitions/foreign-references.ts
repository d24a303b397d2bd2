/**
 * Which secrets a definition that somebody else wrote may name: those stored under its own name, `vault:NAME/…`, and a
 * token that the same import brought along. A file, a variable of the environment or the secret of another server would
 * hand over what was never meant for it. Pure; a message names the entry and the remedy, never a value.
 */
import type { SecretRef, SecretScheme } from '../kernel/secret-ref.ts'
import type { ServerDefinition } from '../kernel/server-definition.ts'
import { showText } from './show-text.ts'

const OTHERS: Readonly<Record<SecretScheme, string>> = {
  vault: 'a secret of another name',
  env: 'a variable of your environment',
  file: 'a file of this machine',
  oauth: 'the sign-in of another server',
}

/** One message for each credential that the definition may not name. `brought`: vault names that came with it. */
export function foreignReferences(
  { id, auth }: Pick<ServerDefinition, 'id' | 'auth'>,
  brought: readonly string[] = [],
): readonly string[] {
  return Object.entries(auth).flatMap(([key, ref]) => {
    if (isOwn(id, ref) || brought.includes(storedAs(ref))) return []
    const own = `${id}/${secretNameFor(key)}`
    return [
      `auth.${showText(key)}: expected a secret of its own, not ${OTHERS[ref.scheme]}; paste the value with \`cordon vault set ${own}\`, and write "vault:${own}"`,
    ]
  })
}

/** Exactly the server's name, then a plain path: names are compared by their bytes, so `Bank/x` is not `bank/x`. */
function isOwn(id: string, { scheme, name }: SecretRef): boolean {
  const [first, ...rest] = name.split('/')
  const isPlain = rest.length > 0 && rest.every((part) => /[^.]/.test(part))
  return scheme === 'vault' && first === id && isPlain
}

function storedAs({ scheme, name }: SecretRef): string {
  return scheme === 'oauth' ? `oauth/${name}` : ''
}

const MAX_KEY = 50

/** Turns a variable, header or setting path into part of a secret's name. */
export function secretNameFor(key: string): string {
  const safe = key.replace(/[^A-Za-z0-9._@-]+/g, '-').slice(0, MAX_KEY)
  return safe.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '') || 'secret'
}
