/**
 * The tokens that Cordon got by signing in: kept fresh, given back, and told about without showing one. Within this
 * process and among all that share the store, a refresh token is redeemed once.
 */
import type { Locks, Vault } from '../../kernel/ports.ts'
import type { TokenStatus, Tokens } from '../../kernel/setup-port.ts'
import { needsAuthorization, notRenewed } from './oauth-errors.ts'
import type { RenewRooms } from './renew-token.ts'
import { createRenewals, type Freshness } from './renewals.ts'
import { type RevokeRooms, revokeToken } from './revoke-token.ts'
import type { StoredToken } from './stored-token.ts'
import { afterRefusal, beforeUse } from './token-freshness.ts'
import { createTokenShelf } from './token-shelf.ts'
import { statusOf } from './token-status.ts'

export interface TokensParts extends Omit<RenewRooms, 'shelf' | 'vault'> {
  readonly vault: Pick<Vault, 'lease' | 'set' | 'remove' | 'list'>
  readonly locks: Locks
}

export interface OAuthTokens extends Tokens {
  /** Renews it where it is about to expire. Cheap where it is not: nothing is read. */
  freshness(name: string, signal: AbortSignal): Promise<Freshness>
  /** A service did not accept the access token with this hash. Renews it unless somebody has done so already. */
  refreshAfter401(name: string, usedHash: string, signal: AbortSignal): Promise<Freshness>
  /** Which token has, or had, this hash, as far as this process has dealt with it. */
  nameOf(hash: string): string | undefined
  /** Stores what a person just signed in for; durable when it resolves. Stores nothing once `signal` is aborted. */
  put(name: string, token: StoredToken, signal: AbortSignal): Promise<void>
}

export function createTokens(parts: TokensParts): OAuthTokens {
  const { now } = parts
  const shelf = createTokenShelf(parts)
  const rooms: RevokeRooms = { ...parts, shelf }
  const renewals = createRenewals(rooms)
  const all = { shelf, renewals, now }
  const readStatus = async (name: string): Promise<TokenStatus> =>
    statusOf(name, await shelf.find(name, new AbortController().signal), now())
  return {
    status: async () => await Promise.all((await shelf.names()).map(readStatus)),
    freshness: (name, signal) => beforeUse(all, name, signal),
    async ensureFresh(name, signal) {
      const fresh = await beforeUse(all, name, signal)
      if (fresh.kind !== 'fresh' && !fresh.usable) throw unusable(name, fresh)
    },
    refreshAfter401: (name, usedHash, signal) => afterRefusal(all, name, usedHash, signal),
    async refresh(name, signal) {
      renewals.forget(name) // a person who asks need not wait until a server was given time
      const fresh = await renewals.renew(name, await shelf.read(name, signal), signal)
      if (fresh.kind !== 'fresh') throw unusable(name, fresh)
      return await readStatus(name)
    },
    async revoke(name, signal) {
      renewals.forget(name)
      await revokeToken(rooms, name, signal)
    },
    async put(name, token, signal) {
      await storeToken(rooms, name, token, signal)
      renewals.forget(name)
    },
    nameOf: (hash) => renewals.nameOf(hash),
  }
}

async function storeToken(
  { shelf, audit, owner }: RenewRooms,
  name: string,
  token: StoredToken,
  signal: AbortSignal,
): Promise<void> {
  const store = async (): Promise<void> => {
    signal.throwIfAborted()
    await shelf.write(name, token)
  }
  await shelf.exclusively(name, store, signal)
  const details = { issuer: token.issuer ?? '', scope: token.scope ?? '' }
  const event = { kind: 'setup.token-stored', principal: owner, subject: name } as const
  await audit.appendDurable({ ...event, details })
}

function unusable(name: string, fresh: Exclude<Freshness, { kind: 'fresh' }>): Error {
  const { kind, reason } = fresh
  return kind === 'unavailable' ? notRenewed(name, reason) : needsAuthorization(name, reason)
}
