/** Decides whether a token can be used now, and renews it if not. */
import type { Freshness, Renewals } from './renewals.ts'
import { hashToken, renewalTime, type StoredToken } from './stored-token.ts'
import type { TokenStore } from './token-store.ts'

export interface FreshnessDeps {
  readonly tokenStore: Pick<TokenStore, 'read'>
  readonly renewals: Renewals
  readonly now: () => number
}

/** A service that refuses a token so soon after its issue would refuse the next one too. */
const NEW_MS = 10_000

export async function beforeUse(
  { tokenStore, renewals, now }: FreshnessDeps,
  name: string,
  signal: AbortSignal,
): Promise<Freshness> {
  const believed = renewals.believed(name)
  if (believed) return believed
  const token = await tokenStore.read(name, signal)
  const need = token.needs_authorization
  if (need) return renewals.judge(name, { kind: 'refused', token, reason: need.reason })
  if (now() < renewalTime(token)) return renewals.judge(name, { kind: 'current', token })
  return await renewals.renew(name, token, signal)
}

export async function afterRefusal(
  { tokenStore, renewals, now }: FreshnessDeps,
  name: string,
  usedHash: string,
  signal: AbortSignal,
): Promise<Freshness> {
  const token = await tokenStore.read(name, signal)
  if (hashToken(token.access_token) !== usedHash) {
    return renewals.judge(name, { kind: 'current', token })
  }
  if (isNew(token, now())) {
    const reason = 'the service refuses a token that was issued just now'
    return renewals.judge(name, { kind: 'unavailable', token, reason })
  }
  return await renewals.renew(name, token, signal)
}

function isNew({ obtained_at }: StoredToken, now: number): boolean {
  return obtained_at !== undefined && now - Date.parse(obtained_at) < NEW_MS
}
