/**
 * Removes a server of the owner's: gives back its OAuth tokens, deletes its definition, its secrets and its data, stops it.
 * Never gives back a token that another server uses.
 */
import type { ToldLabels } from '../kernel/kept-labels.ts'
import type { Definitions, Servers } from '../kernel/ports.ts'
import type { Principal } from '../kernel/principal.ts'
import type { LoadedDefinition } from '../kernel/server-definition.ts'
import { parseServerId, type ServerId } from '../kernel/server-id.ts'
import type { Tokens } from '../ports/setup-port.ts'
import type { AccountNames } from './account-names.ts'
import type { Removal, RemovalInput } from './definitions.ts'
import type { ServerDeps } from './servers.ts'

export interface ForgetDeps {
  readonly tokens: Pick<Tokens, 'revoke'>
  readonly definitions: Pick<Definitions, 'load' | 'remove'>
  readonly servers: Pick<Servers, 'refresh'>
  readonly told: Pick<ToldLabels, 'forget'>
  readonly data: Pick<ServerDeps['data'], 'remove'>
  readonly accounts: Pick<AccountNames, 'forget'>
  readonly principal: Principal
}

/** Revokes tokens before the definition is removed: afterwards nothing would name them. */
export async function forgetServer(
  { definitions, servers, tokens, told, data, accounts, principal }: ForgetDeps,
  { server, keepSecrets, keepData = false }: RemovalInput,
  signal: AbortSignal,
): Promise<Removal> {
  const id = parseServerId(server)
  const { servers: loaded } = await definitions.load()
  // A provider that cannot be reached must not prevent the removal.
  const revoke = (name: string): Promise<void> => tokens.revoke(name, signal).catch(() => undefined)
  if (!keepSecrets) await Promise.all(tokensOnlyOf(id, loaded).map(revoke))
  const removed = await definitions.remove(id, { keepSecrets })
  await servers.refresh() // stops the server if it runs
  await told.forget(id, principal.id)
  await accounts.forget(id)
  return { ...removed, removedData: !keepData && (await data.remove(id)) }
}

/** The tokens that no other server uses; empty if the definition is not the user's own, which cannot be removed. */
function tokensOnlyOf(id: ServerId, loaded: readonly LoadedDefinition[]): readonly string[] {
  const own = loaded.find(({ definition, scope }) => definition.id === id && scope === 'user')
  const others = loaded.filter((one) => one !== own)
  const used = new Set(others.flatMap(tokensOf))
  return own ? tokensOf(own).filter((name) => !used.has(name)) : []
}

function tokensOf({ definition }: LoadedDefinition): readonly string[] {
  const refs = Object.values(definition.auth).filter(({ scheme }) => scheme === 'oauth')
  return refs.map(({ name }) => name)
}
