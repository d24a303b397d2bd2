/** A vault that is made when the first secret is stored, so that a person's first connection needs no step before it. */
import type { Vault } from '../kernel/ports.ts'

export type SettableVault = Pick<
  Vault,
  'has' | 'isThere' | 'list' | 'lease' | 'remove' | 'resolves' | 'set' | 'status'
>

export function initOnFirstSet(vault: Vault): SettableVault {
  return {
    has: (...secret) => vault.has(...secret),
    isThere: () => vault.isThere(),
    list: (owner) => vault.list(owner),
    lease: (...wanted) => vault.lease(...wanted),
    status: () => vault.status(),
    remove: (...secret) => vault.remove(...secret),
    resolves: (...secret) => vault.resolves(...secret),
    async set(...secret) {
      if (!(await vault.isThere())) await vault.init(undefined)
      return await vault.set(...secret)
    },
  }
}
