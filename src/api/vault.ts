/** Routes about the vault. A page sees its state and the names in it; it can send no passphrase and no secret. */
import { z } from 'zod'
import type { Servers, Vault } from '../kernel/ports.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Setup } from '../ports/setup-port.ts'
import type { KeySource, SecretInfo, VaultStatus } from '../kernel/vault-status.ts'
import { nothing, secretName } from './fields.ts'
import type { Nothing, Routes } from './route.ts'

export interface VaultContract {
  'vault.status': { surface: 'any'; input: Nothing; output: VaultStatus }
  'vault.list': {
    surface: 'any'
    input: Nothing
    output: { readonly secrets: readonly SecretInfo[] }
  }
  'vault.lock': { surface: 'any'; input: Nothing; output: VaultStatus }
  'vault.unlock': { input: { readonly passphrase?: string }; output: VaultStatus }
  'vault.init': {
    input: { readonly source?: KeySource; readonly passphrase?: string }
    output: VaultStatus
  }
  'vault.set': {
    input: { readonly name: string; readonly value: string }
    output: { readonly name: string; readonly replaced: boolean }
  }
  'vault.remove': {
    input: { readonly name: string }
    output: { readonly name: string; readonly removed: boolean }
  }
  /** The key sources that work here. Tries the keychain, so it is asked only before a vault is made. */
  'vault.sources': {
    surface: 'any'
    input: Nothing
    output: { readonly sources: readonly KeySource[] }
  }
  'vault.set-aside': { input: Nothing; output: { readonly folder: string } }
  'vault.rotate': { input: { readonly passphrase?: string }; output: { readonly records: number } }
}

export interface VaultDeps {
  readonly principal: Principal
  readonly vault: Vault
  readonly servers: Pick<Servers, 'refresh'>
  readonly setup: Pick<Setup, 'vaultOpened'>
}

const passphrase = z.string().min(1).max(1024).exactOptional()
const source = z.enum(['keychain', 'passphrase', 'keyfile']).exactOptional()
const value = z.string().min(1).max(65_536)

export function vaultRoutes(deps: VaultDeps): Routes<VaultContract> {
  return { ...keyRoutes(deps), ...secretRoutes(deps) }
}

type SecretRoute = 'vault.list' | 'vault.set' | 'vault.remove'

function keyRoutes({ vault, servers, setup }: VaultDeps): Routes<Omit<VaultContract, SecretRoute>> {
  return {
    'vault.status': { surface: 'any', input: nothing, handle: () => vault.status() },
    'vault.lock': { surface: 'any', input: nothing, handle: () => vault.lock() },
    'vault.sources': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ sources: await vault.sources() }),
    },
    'vault.unlock': {
      surface: 'terminal',
      input: z.strictObject({ passphrase }),
      async handle({ passphrase }) {
        const status = await vault.unlock(passphrase)
        // Servers that waited for a credential may start now.
        await servers.refresh()
        await setup.vaultOpened()
        return status
      },
    },
    'vault.init': {
      surface: 'terminal',
      input: z.strictObject({ source, passphrase }),
      async handle({ source, passphrase }) {
        const status = await vault.init(source, passphrase)
        await setup.vaultOpened()
        return status
      },
    },
    'vault.set-aside': {
      surface: 'terminal',
      input: nothing,
      async handle() {
        const aside = await vault.setAside()
        await servers.refresh() // those that ran with its secrets
        return aside
      },
    },
    'vault.rotate': {
      surface: 'terminal',
      input: z.strictObject({ passphrase }),
      handle: ({ passphrase }) => vault.rotate(passphrase),
    },
  }
}

function secretRoutes({ principal, vault }: VaultDeps): Routes<Pick<VaultContract, SecretRoute>> {
  return {
    'vault.list': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ secrets: await vault.list(principal.id) }),
    },
    'vault.set': {
      surface: 'terminal',
      input: z.strictObject({ name: secretName, value }),
      async handle({ name, value }) {
        const bytes = Buffer.from(value)
        try {
          return { name, ...(await vault.set(principal.id, name, bytes)) }
        } finally {
          bytes.fill(0)
        }
      },
    },
    'vault.remove': {
      surface: 'terminal',
      input: z.strictObject({ name: secretName }),
      handle: async ({ name }) => ({ name, ...(await vault.remove(principal.id, name)) }),
    },
  }
}
