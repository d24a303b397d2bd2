/**
 * Renews a token at most once across all processes. The order makes it safe: take the lock, read the token again,
 * redeem only if it is still the one that was seen, store the new token, and only then report it.
 *
 * Once the refresh token is sent, no caller can abort: a server that rotates refresh tokens has already invalidated it,
 * so dropping the answer would lose the grant. A process killed in between leaves the old token intact.
 */
import type { AuditKind } from '../../kernel/audit-kinds.ts'
import type { Audit } from '../../kernel/ports.ts'
import { renewedToken } from './grant.ts'
import { type Redemption, redeem } from './redeem.ts'
import type { StoredToken } from './stored-token.ts'
import type { EndpointDeps } from './token-endpoint.ts'
import type { TokenStore } from './token-store.ts'

export interface RenewDeps extends EndpointDeps {
  readonly tokenStore: TokenStore
  readonly audit: Pick<Audit, 'appendDurable'>
  readonly now: () => number
  /** The owner has to sign in again. Called once, when the token enters this state. */
  readonly onNeedsAuthorization: (name: string, reason: string) => void
}

export type Renewal =
  /** The newest token, fetched by this process or by another. */
  | { readonly kind: 'current'; readonly token: StoredToken }
  | { readonly kind: 'refused'; readonly token: StoredToken; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly token: StoredToken; readonly reason: string }

/** Longest wait for the lock; a dead process loses it after 30 seconds. */
const LOCK_WAIT_MS = 60_000
/** Longer than the timeout of a single request. */
const REDEEM_MS = 25_000

/** `seen` is the token that the caller considers too old. */
export async function renewToken(
  deps: RenewDeps,
  name: string,
  seen: StoredToken,
): Promise<Renewal> {
  const { tokenStore } = deps
  const patience = AbortSignal.timeout(LOCK_WAIT_MS)
  const work = async (): Promise<Renewal> => {
    const token = await tokenStore.read(name, patience)
    if (token.access_token !== seen.access_token) return { kind: 'current', token }
    const known = token.needs_authorization
    if (known) return { kind: 'refused', token, reason: known.reason }
    const redemption = await redeem(deps, token, AbortSignal.timeout(REDEEM_MS))
    return await settle(deps, name, token, redemption)
  }
  return await tokenStore.exclusively(name, work, patience).catch((error: unknown) => {
    if (!patience.aborted) throw error
    return { kind: 'unavailable', token: seen, reason: 'others are busy renewing it' }
  })
}

async function settle(
  deps: RenewDeps,
  name: string,
  old: StoredToken,
  redemption: Redemption,
): Promise<Renewal> {
  if (redemption.kind === 'unavailable') return { ...redemption, token: old }
  // A suspended laptop may have lost the lock meanwhile: a token that another process has stored is newer than ours.
  const stored = await deps.tokenStore.read(name, new AbortController().signal)
  if (stored.access_token !== old.access_token) return { kind: 'current', token: stored }
  if (redemption.kind === 'granted') {
    const token = renewedToken(stored, redemption.grant, deps.now())
    await deps.tokenStore.write(name, token)
    await record(deps, 'setup.token-renewed', name)
    return { kind: 'current', token }
  }
  const { reason } = redemption
  const since = new Date(deps.now()).toISOString()
  const token = { ...stored, needs_authorization: { since, reason } }
  await deps.tokenStore.write(name, token)
  await record(deps, 'setup.token-refused', name, reason)
  deps.onNeedsAuthorization(name, reason)
  return { kind: 'refused', token, reason }
}

async function record(
  { audit, owner }: RenewDeps,
  kind: AuditKind,
  subject: string,
  reason?: string,
): Promise<void> {
  const details = reason === undefined ? {} : { details: { reason } }
  await audit.appendDurable({ kind, principal: owner, subject, ...details })
}
