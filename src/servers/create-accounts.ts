/**
 * Names the account that a server answers for, without reading a secret: each of its credentials with the time at which it
 * was stored. Answers that are kept for later are kept for that account alone.
 */
import type { Definitions, Servers, Vault } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { SecretRef } from '../kernel/secret-ref.ts'
import type { ServerId } from '../kernel/server-id.ts'

export interface AccountDeps {
  readonly owner: PrincipalId
  readonly definitions: Pick<Definitions, 'load'>
  readonly vault: Pick<Vault, 'list'>
  readonly servers: Pick<Servers, 'states'>
}

/** Undefined if the account is not known: then nothing may be kept. */
export type AccountOf = (server: ServerId) => Promise<string | undefined>

export function createAccounts(deps: AccountDeps): AccountOf {
  return async (server) => {
    const { servers } = await deps.definitions.load()
    const found = servers.find(({ definition }) => definition.id === server)
    if (!found) return undefined
    const refs = Object.entries(found.definition.auth)
    if (refs.length === 0) return ''
    const stored = await storedAt(deps)
    const times = refs.map(([, ref]) => stored(ref))
    if (times.includes(undefined)) return undefined
    const latest = Math.max(...times.map((time = '') => Date.parse(time)))
    // A process that was started with the credential from before still answers for that account.
    const startedAt = await startOf(deps, server)
    if (startedAt !== undefined && Date.parse(startedAt) <= latest) return undefined
    return JSON.stringify(refs.map(([name, ref], at) => [name, ref.scheme, ref.name, times[at]]))
  }
}

/** The time at which a credential was stored. Undefined for a variable or a file, whose value may change unseen. */
async function storedAt({
  vault,
  owner,
}: AccountDeps): Promise<(ref: SecretRef) => string | undefined> {
  const secrets = new Map((await vault.list(owner)).map((one) => [one.name, one.updatedAt]))
  return ({ scheme, name }) => {
    if (scheme === 'vault') return secrets.get(name)
    return scheme === 'oauth' ? secrets.get(`oauth/${name}`) : undefined
  }
}

async function startOf({ servers }: AccountDeps, server: ServerId): Promise<string | undefined> {
  const states = await servers.states('briefly')
  return states.find((one) => one.server === server)?.startedAt
}
