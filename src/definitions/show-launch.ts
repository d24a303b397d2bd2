/** A server's command line or url, for the owner to review before it runs. A secret is shown by name only. Pure. */
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

/** Quotes any argument that a shell would split or interpret. */
function quote(word: string): string {
  return /^[\w@%+=:,./~^-]+$/.test(word) ? word : JSON.stringify(word)
}
