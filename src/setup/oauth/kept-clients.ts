/**
 * OAuth clients without a file to edit: those that the owner entered once with `cordon auth client`, kept in the vault,
 * then those that ship with Cordon. Never returns a client secret, only its reference.
 */
import type { Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { ConfiguredClient } from './create-acquire.ts'

/** Client ids by provider, of clients that the project itself has registered. None so far. */
const SHIPPED: Readonly<Record<string, string>> = {}

type FindClient = (provider: string) => Promise<ConfiguredClient | undefined>

/** `configured` is asked first: a client in `config.toml` comes before one that was entered. */
export function createKeptClients(
  vault: Pick<Vault, 'has' | 'lease'>,
  owner: PrincipalId,
  configured: FindClient,
): FindClient {
  return async (provider) =>
    (await configured(provider)) ?? (await readKept(vault, owner, provider)) ?? shipped(provider)
}

async function readKept(
  vault: Pick<Vault, 'has' | 'lease'>,
  owner: PrincipalId,
  provider: string,
): Promise<ConfiguredClient | undefined> {
  const name = `oauth-app/${provider}`
  if (!(await vault.has(owner, `${name}/id`))) return undefined
  const ref = { scheme: 'vault', name: `${name}/id` } as const
  await using lease = await vault.lease(owner, { id: ref }, new AbortController().signal)
  const clientId = lease.value('id').toString()
  const hasSecret = await vault.has(owner, `${name}/secret`)
  return {
    clientId,
    ...(hasSecret && { secretRef: { scheme: 'vault', name: `${name}/secret` } }),
  }
}

function shipped(provider: string): ConfiguredClient | undefined {
  const clientId = Object.hasOwn(SHIPPED, provider) ? SHIPPED[provider] : undefined
  return clientId === undefined ? undefined : { clientId }
}
