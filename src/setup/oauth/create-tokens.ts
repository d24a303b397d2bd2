/**
 * The tokens that Cordon got by signing in: renews, revokes and reports them without showing a token. A refresh token
 * is redeemed once, in this process and across all processes that share the store.
 */
import type { Locks, Vault } from '../../kernel/ports.ts'
import { isSecretRef, parseSecretRef } from '../../kernel/secret-ref.ts'
import type { TokenStatus, Tokens } from '../../ports/setup-port.ts'
import { forgetRegistration } from './client-identity.ts'
import { needsAuthorization, notRenewed } from './oauth-errors.ts'
import type { RenewDeps } from './renew-token.ts'
import { createRenewals, type Freshness } from './renewals.ts'
import { type RevokeDeps, revokeToken } from './revoke-token.ts'
import type { StoredToken } from './stored-token.ts'
import { afterRefusal, beforeUse } from './token-freshness.ts'
import { createTokenStore } from './token-store.ts'
import { statusOf } from './status-of.ts'
import { type WantedScope, wantMore, widerScope } from './wider-scope.ts'

export interface TokensParts extends Omit<RenewDeps, 'tokenStore' | 'vault'> {
  readonly vault: Pick<Vault, 'lease' | 'set' | 'remove' | 'list'>
  readonly locks: Locks
  /** Called after a new sign-in, and when the token is gone. */
  readonly onSettled: (name: string) => void
}

export interface OAuthTokens extends Tokens {
  /** Renews the token if it is about to expire. A token known to be fresh is not read from the vault. */
  freshness(name: string, signal: AbortSignal): Promise<Freshness>
  /** A service refused the access token with this hash (401). Renews it unless another caller has done so already. */
  refreshAfter401(name: string, usedHash: string, signal: AbortSignal): Promise<Freshness>
  /** The name of the token that has, or had, this hash, among the tokens this process has seen. */
  nameOf(hash: string): string | undefined
  /** The resource that a token seen by this process was issued for; undefined if it is not bound to one. */
  audienceOf(name: string): string | undefined
  /** Stores the token of a new sign-in; durable when it resolves. Stores nothing once `signal` is aborted. */
  put(name: string, token: StoredToken, signal: AbortSignal): Promise<void>
  /** A service asked for scopes beyond the token's. Stored until the next sign-in; false if none of them is new. */
  wantMore(name: string, wanted: WantedScope, signal: AbortSignal): Promise<boolean>
  /** The scope that the next sign-in must request; undefined if no service asked for more. */
  widerScope(name: string): Promise<string | undefined>
}

export function createTokens(parts: TokensParts): OAuthTokens {
  const { now } = parts
  const tokenStore = createTokenStore(parts)
  const deps: RevokeDeps = { ...parts, tokenStore }
  const renewals = createRenewals(deps)
  const all = { tokenStore, renewals, now }
  const readStatus = async (name: string): Promise<TokenStatus> =>
    statusOf(name, await tokenStore.find(name, new AbortController().signal), now())
  return {
    status: async () => await Promise.all((await tokenStore.names()).map(readStatus)),
    freshness: (name, signal) => beforeUse(all, name, signal),
    async ensureFresh(name, signal) {
      const fresh = await beforeUse(all, name, signal)
      if (fresh.kind !== 'fresh' && !fresh.usable) throw unusable(name, fresh)
    },
    refreshAfter401: (name, usedHash, signal) => afterRefusal(all, name, usedHash, signal),
    async refresh(name, signal) {
      renewals.forget(name) // a manual refresh need not wait for the backoff
      const fresh = await renewals.renew(name, await tokenStore.read(name, signal), signal)
      if (fresh.kind !== 'fresh') throw unusable(name, fresh)
      return await readStatus(name)
    },
    async revoke(name, signal) {
      renewals.forget(name)
      await revokeToken(deps, name, signal)
      parts.onSettled(name)
    },
    async put(name, token, signal) {
      await storeToken(deps, name, token, signal)
      renewals.forget(name)
      parts.onSettled(name)
    },
    nameOf: (hash) => renewals.nameOf(hash),
    audienceOf: (name) => renewals.audienceOf(name),
    wantMore: (name, wanted, signal) => wantMore(tokenStore, name, wanted, signal),
    widerScope: (name) => widerScope(tokenStore, name),
  }
}

async function storeToken(
  { tokenStore, audit, vault, owner }: RevokeDeps,
  name: string,
  token: StoredToken,
  signal: AbortSignal,
): Promise<void> {
  const store = async (): Promise<void> => {
    const isThere = (await tokenStore.names()).includes(name)
    const old = isThere ? (await tokenStore.find(name, signal))?.client_secret : undefined
    signal.throwIfAborted()
    await tokenStore.write(name, token)
    // The replaced token was the only one renewed with its registration, so that client secret is no longer needed.
    if (old === token.client_secret || !isSecretRef(old)) return
    await forgetRegistration(vault, owner, { secretRef: parseSecretRef(old) })
  }
  await tokenStore.exclusively(name, store, signal)
  const details = { issuer: token.issuer ?? '', scope: token.scope ?? '' }
  const event = { kind: 'setup.token-stored', principal: owner, subject: name } as const
  await audit.appendDurable({ ...event, details })
}

function unusable(name: string, fresh: Exclude<Freshness, { kind: 'fresh' }>): Error {
  const { kind, reason } = fresh
  return kind === 'unavailable' ? notRenewed(name, reason) : needsAuthorization(name, reason)
}
