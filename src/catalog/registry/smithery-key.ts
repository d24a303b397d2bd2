/** The owner's key for the Smithery registry, lent from the vault for one request. The registry is left out without one. */
import type { Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'

const SMITHERY_KEY = 'smithery_api_key'

export async function readSmitheryKey(
  vault: Pick<Vault, 'has' | 'lease'>,
  owner: PrincipalId,
): Promise<string | undefined> {
  if (!(await vault.has(owner, SMITHERY_KEY).catch(() => false))) return undefined
  const refs = { key: { scheme: 'vault', name: SMITHERY_KEY } } as const
  await using lease = await vault.lease(owner, refs, new AbortController().signal)
  return lease.value('key').toString().trim()
}
