/** What a server would run, in one line: for an owner to read before it does. A secret is named in it, never shown. Pure. */
import { showSecretRef } from '../kernel/secret-ref.ts'
import type { ServerDefinition } from '../kernel/server-definition.ts'

type Launch = Pick<
  ServerDefinition,
  'command' | 'args' | 'url' | 'socketPath' | 'env' | 'auth' | 'transport'
>

export function showLaunch({ command, args, url, socketPath, env, auth }: Launch): string {
  if (command === undefined) return url ?? socketPath ?? ''
  const lent = Object.entries(auth).map(([name, ref]) => `${name}=<${showSecretRef(ref)}>`)
  const set = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`)
  return [...set, ...lent, quote(command), ...args.map(quote)].join(' ')
}

/** Where a word could be taken for two, or for more than a word, it stands between quotes. */
function quote(word: string): string {
  return /^[\w@%+=:,./~^-]+$/.test(word) ? word : JSON.stringify(word)
}
